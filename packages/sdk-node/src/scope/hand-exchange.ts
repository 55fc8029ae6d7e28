import type { RequestInfo } from '../client/implementation.ts';
import { boundedHeaders, type Exchange } from './exchange.ts';

/** A request that the host describes. */
export class HandExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly startedAtMs: number;
  #headers: object;

  readonly #hasBegun: () => boolean;

  constructor(info: RequestInfo, nowMs: number, hasBegun = () => false) {
    this.#hasBegun = hasBegun;
    this.method = typeof info.method === 'string' ? info.method.toUpperCase() : 'GET';
    this.target = typeof info.url === 'string' ? info.url : '/';
    this.startedAtMs = nowMs;
    this.#headers = typeof info.headers === 'object' && info.headers !== null ? info.headers : {};
  }

  requestHeader(name: string): string | null {
    const get: unknown = Reflect.get(this.#headers, 'get');
    const value: unknown =
      typeof get === 'function'
        ? Reflect.apply(get, this.#headers, [name])
        : Reflect.get(this.#headers, name);
    return typeof value === 'string' ? value : null;
  }

  requestHeaders(): object {
    return this.#headers;
  }

  isAnswering(): boolean {
    return this.#hasBegun();
  }

  release(): void {
    this.#headers = boundedHeaders(this.#headers);
  }
}
