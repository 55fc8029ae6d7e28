/** Flags that every command has (docs/contract/command-line.md 2.3). */
export interface Globals {
  json: boolean;
  fields: readonly string[] | null;
  quiet: boolean;
  verbose: boolean;
  yes: boolean;
  localTime: boolean;
  timeoutMs: number;
  url: string | null;
  profile: string | null;
  project: string | null;
}
