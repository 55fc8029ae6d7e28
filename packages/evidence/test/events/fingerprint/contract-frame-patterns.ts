/** The frame patterns of contract incidents 5.4.6 as written there, needless escapes aside. */
export const contractFramePatterns = {
  v8: /^\s*at (?:(async )?(.+?) \(|async )?((?:[a-z][a-z0-9+.-]*:\/\/|node:|\/|[A-Za-z]:[\\/]|\.{0,2}\/|internal\/|webpack|eval at |<anonymous>|native|[\w@.$-]+\/|[\w.$-]+\.[cm]?[jt]sx?).*?)(?::(\d+))?(?::(\d+))?\)?\s*$/,
  otherJs: /^\s*([^@\s]*)@((?:[a-z][a-z0-9+.-]*:\/\/|\/|webpack).*?):(\d+)(?::(\d+))?\s*$/,
  python: /^\s*File "([^"]+)", line \d+(?:, in (.+?))?\s*$/,
  ruby: /^\s*(?:from\s+|#\d+\s+)?((?:[A-Za-z]:)?[^\s:][^:]*):(\d+):in [`'](.+?)'(?::\s(.*))?\s*$/,
  php: /^\s*#(\d+)\s+(?:(.+?)\((\d+)\)|\[internal function\]|\{main\})(?::\s*(.+))?\s*$/,
  jvm: /^\s*at (?:[\w.@-]+\/(?:[\w.@-]*\/)?)?([\w$.<>-]+)\.([\w$<>-]+)\(((?:[\w$.-]+\.(?:java|kt|kts|scala|groovy|clj)|SourceFile|Unknown Source|Native Method|<generated>|Unknown)(?::\d+)?)\)\s*(?:~?\[.*\])?\s*$/,
  goName: /^([\w./~%-]+\.(?:\(\*?[\w.[\]]+\)\.)?[\w.[\]·-]+)\(.*\)\s*$/,
  goFile: /^\s+((?:[A-Za-z]:)?[^\s]+\.(?:go|s)):(\d+)(?:\s+\+0x[0-9a-f]+)?\s*$/,
  dotnet:
    /^\s*at ([A-Za-z_<][^\s(]*(?:\.|\+)[^\s(]+)\s?\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: in (.+):line (\d+))?\s*$/,
  swiftImage: /^\s*\d+\s+(\S+)\s+0x[0-9a-fA-F]+\s+(.+?)\s\+\s\d+(?:\s\((.+?):\d+\))?\s*$/,
  swiftSource:
    /^\s*\d+\s+(?:0x[0-9a-fA-F]+\s+)?(?:\[[^\]]*\]\s+)*(?:[\d.]+\s+)?(.+?)(?: \+ \d+)?(?: in [\w.-]+)? at ((?:\/|[A-Za-z]:)[^:]+\.swift):(\d+)(?::\d+)?\s*$/,
  phpHeader: /^(?:Next )?((?:\\?[A-Za-z_]\w*\\)*[A-Za-z_]\w*)(?:: (.*?))? in (.+):(\d+)$/,
};
