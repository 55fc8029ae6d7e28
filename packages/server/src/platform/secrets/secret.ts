import { inspect } from 'node:util';

const PLACEHOLDER = '[secret]';

/**
 * A value that must not end up in logs, answers or error messages by accident: every way of printing it yields
 * `[secret]` (docs/contract/reliability.md A11). Only `reveal()` gives the value, which makes each use easy to find.
 */
export class Secret<Value = string> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  reveal(): Value {
    return this.#value;
  }

  toString(): string {
    return PLACEHOLDER;
  }

  toJSON(): string {
    return PLACEHOLDER;
  }

  [Symbol.toPrimitive](): string {
    return PLACEHOLDER;
  }

  [inspect.custom](): string {
    return PLACEHOLDER;
  }
}
