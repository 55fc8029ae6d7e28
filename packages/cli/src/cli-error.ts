import { EXIT, type ExitCode } from './exit-codes.ts';

/** A failure with words for people: what happened, and what to do next (docs/contract/command-line.md 2.11). */
export class CliError extends Error {
  override name = 'CliError';
  readonly exit: ExitCode;
  /** Stable word for scripts. */
  readonly code: string;
  readonly mend: string | null;
  readonly status: number | null;
  readonly requestId: string | null;

  constructor(
    message: string,
    options: {
      exit: ExitCode;
      code: string;
      mend?: string | null;
      status?: number | null;
      requestId?: string | null;
    },
  ) {
    super(message);
    this.exit = options.exit;
    this.code = options.code;
    this.mend = options.mend ?? null;
    this.status = options.status ?? null;
    this.requestId = options.requestId ?? null;
  }
}

/** A command that was not understood, or lacks a value. */
export function usageError(message: string, mend: string | null = null): CliError {
  return new CliError(message, { exit: EXIT.usage, code: 'usage', mend });
}

/** A reference that matches nothing, or several. */
export function notFoundError(message: string, mend: string | null = null): CliError {
  return new CliError(message, { exit: EXIT.notFound, code: 'not_found', mend });
}

/** No credential that may be used. */
export function authError(message: string, mend: string | null = null): CliError {
  return new CliError(message, { exit: EXIT.auth, code: 'not_signed_in', mend });
}

/** Returns the error for a feature that this server, or this release of the program, does not have. */
export function unsupportedError(message: string, mend: string | null = null): CliError {
  return new CliError(message, { exit: EXIT.unsupported, code: 'unsupported', mend });
}
