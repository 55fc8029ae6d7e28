/** What every frame that the reader of a language recognizes holds; a text without it need not be read by it. */
export const LANGUAGE_HINTS = {
  js: /@|at /,
  python: /File "/,
  ruby: /:in [`']/,
  php: /#\d|:\d+\s*$/m,
  jvm: /at /,
  go: /\.(?:go|s):\d/,
  dotnet: /at |^[^\S\n\r\u2028\u2029]{2,8}[^\s()]{1,20} .{0,400}\(/m,
  swift: /^[^\S\n\r\u2028\u2029]*\d/m,
} as const;
