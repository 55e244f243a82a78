internal import CWeakTimer

/// What a repeating timer does about ticks that it could not deliver in time.
public enum MissedTicks: Hashable, Sendable, CaseIterable {
    /// One tick stands for all that are due and says how many it stands for beyond itself (`Tick.missed`). The grid stands.
    case coalesce
    /// Each tick is delivered, one after the other, as fast as the callback allows. The grid stands.
    case burst
    /// Nothing is made up for: a tick that starts so late that its successor is due already lays that one, and the grid with it, one interval
    /// after its own start. Otherwise the grid stands.
    case delay

    var policy: wtm_missed_policy {
        switch self {
        case .coalesce: WTM_MISSED_COALESCE
        case .burst: WTM_MISSED_BURST
        case .delay: WTM_MISSED_DELAY
        }
    }

    init(_ policy: UInt32) {
        self = Self.allCases.first { $0.policy.rawValue == policy } ?? .coalesce
    }
}
