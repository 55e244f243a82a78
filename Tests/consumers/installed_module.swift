// Swift on the installed C module, without SwiftPM.
import CWeakTimer

precondition(wtm_version_number() == UInt32(WTM_VERSION_MAJOR << 16 | WTM_VERSION_MINOR << 8 | WTM_VERSION_PATCH))
print("Swift on the installed library, version \(String(cString: wtm_version_string()))")
