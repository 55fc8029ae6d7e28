import type { JsonObject, JsonValue } from '../../../../src/events/envelope/json.ts';

/**
 * Shapes in which libraries and scripts send the same thing, each written by hand after their sources and reports of
 * their users. What each becomes was written down before it was run.
 */
export interface Shape {
  client: string;
  event: JsonObject;
  type: string;
  /** Values at paths of the event that results. */
  says: Readonly<Record<string, JsonValue | undefined>>;
  /** Function of the newest frame of its fingerprint. */
  frame?: string;
}

export const frames = (...all: JsonObject[]): JsonObject => ({ frames: all });
export const own = (name: string, file: string, more: JsonObject = {}): JsonObject => ({
  function: name,
  filename: file,
  lineno: 7,
  in_app: true,
  ...more,
});
