/** A flag of a command. Without `value` it is a switch. */
export interface Flag {
  /** Without dashes, in kebab-case. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value in the help. */
  readonly value?: string;
  /** The type of the value; text when absent. Durations are `15m`, times ISO 8601 or a duration ago. */
  readonly kind?: 'integer' | 'number' | 'duration' | 'time';
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly isRepeatable?: true;
  /** The default, in the words of the help. */
  readonly standard?: string;
  readonly says: string;
}
