/** A call as every server can describe it. Nothing of it is sent on but the events in its body. */
export interface RelayCall {
  method: string;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | null;
  /** The address of the connection; null if the server does not provide it. */
  socketAddress: string | null;
  /** The facts from the framework's own setting, if it has one. */
  framework: { address: string | null; isProxyTrusted: boolean } | null;
  /** Whatever the server passed, for `clientIp`. */
  original: unknown;
  /** Reads the body once. */
  readBody(maxBytes: number, timeoutMs: number): Promise<BodyRead>;
}

export type BodyRead =
  | { kind: 'bytes'; bytes: Uint8Array }
  /** The framework was faster. */
  | { kind: 'parsed'; value: unknown }
  | { kind: 'too_large' }
  /** Cut off, too slow, or already gone. */
  | { kind: 'unreadable' };
