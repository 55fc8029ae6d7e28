/** Exit codes, the same for every command (docs/contract/command-line.md 2.5). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  auth: 4,
  refused: 5,
  unreachable: 6,
  partial: 7,
  negative: 8,
  unsupported: 9,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each code, for `culprit help exit-codes` and the reference. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.ok, 'done; also an empty list'],
  [EXIT.failed, 'refused for a reason not listed here, or an internal error'],
  [
    EXIT.usage,
    'unknown command or flag, a value out of bounds, or a question without a terminal to answer it',
  ],
  [EXIT.notFound, 'the reference matches nothing, or several'],
  [EXIT.auth, 'no credential, a refused one, or one for another server'],
  [EXIT.refused, 'your role, the plan or the state of the record does not allow it'],
  [EXIT.unreachable, 'no connection, an untrusted certificate, no answer in time, or a server error'],
  [EXIT.partial, 'some items done and some not; the output says which'],
  [EXIT.negative, 'the command worked and the result is negative'],
  [EXIT.unsupported, 'this server does not offer it, or the command is reserved'],
  [EXIT.interrupted, 'interrupted by Ctrl-C, after cleaning up'],
  [EXIT.terminated, 'ended by SIGTERM, after cleaning up'],
];
