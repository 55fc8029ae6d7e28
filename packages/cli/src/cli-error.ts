import { EXIT, type ExitCode } from './exit-codes.ts';

/** A failure with words for people: what happened, and what to do next (docs/contract/command-line.md 2.11). */
export class CliError extends Error {
  override name = 'CliError';
  readonly exit: ExitCode;
  /** Stable word for scripts. */
  readonly code: string;
  readonly hint: string | null;
  readonly status: number | null;
  readonly requestId: string | null;

  constructor(
    message: string,
    options: {
      exit: ExitCode;
      code: string;
      hint?: string | null;
      status?: number | null;
      requestId?: string | null;
    },
  ) {
    super(message);
    this.exit = options.exit;
    this.code = options.code;
    this.hint = options.hint ?? null;
    this.status = options.status ?? null;
    this.requestId = options.requestId ?? null;
  }
}

/** A command that was not understood, or lacks a value. */
export function usageError(message: string, hint: string | null = null): CliError {
  return new CliError(message, { exit: EXIT.usage, code: 'usage', hint });
}

/** A reference that matches nothing, or several. */
export function notFoundError(message: string, hint: string | null = null): CliError {
  return new CliError(message, { exit: EXIT.notFound, code: 'not_found', hint });
}

/** No credential that may be used. */
export function authError(message: string, hint: string | null = null): CliError {
  return new CliError(message, { exit: EXIT.auth, code: 'not_signed_in', hint });
}

/** Returns the error for a feature that this server, or this release of the program, does not have. */
export function unsupportedError(message: string, hint: string | null = null): CliError {
  return new CliError(message, { exit: EXIT.unsupported, code: 'unsupported', hint });
}
