# The C++ face as HTML. Its comments are prose: what is documented must be right, but not every parameter has a line.
@INCLUDE               = docs/Doxyfile
INPUT                  = include/weaktimer.hpp include/weaktimer.h
OPTIMIZE_OUTPUT_FOR_C  = NO
EXCLUDE_SYMBOLS        = wtm::detail wtm::detail::* WTM_MODE WTM_MODE_TAG
WARN_IF_UNDOCUMENTED   = NO
WARN_NO_PARAMDOC       = NO
HTML_OUTPUT            = cpp
GENERATE_MAN           = NO
PREDEFINED            += WTM_MODE=throwing WTM_MODE_TAG=
