import { subscribe, unsubscribe } from 'node:diagnostics_channel';

type ChannelListener = (message: unknown) => void;

/** Everything that the library listens to, so that `close` can undo it. */
export interface Subscriptions {
  /** Listens to a channel of `node:diagnostics_channel`. What the listener throws goes to `onFault`. */
  channel(name: string, listener: ChannelListener): void;
  /** A listener that passes what it throws to `onFault`, never to the host. */
  guarded<Parameters extends unknown[]>(
    listener: (...parameters: Parameters) => void,
  ): (...parameters: Parameters) => void;
  /** Registers what undoes another kind of listener. */
  add(undo: () => void): void;
  close(): void;
}

/** An empty list of subscriptions. */
export function createSubscriptions(onFault: (error: unknown) => void): Subscriptions {
  const undos: (() => void)[] = [];
  const guarded: Subscriptions['guarded'] =
    (listener) =>
    (...parameters) => {
      try {
        listener(...parameters);
      } catch (error) {
        onFault(error);
      }
    };
  return {
    guarded,
    channel(name, listener) {
      const own = guarded(listener);
      subscribe(name, own);
      undos.push(() => unsubscribe(name, own));
    },
    add: (undo) => undos.push(undo),
    close() {
      for (const undo of undos.splice(0).reverse()) {
        try {
          undo();
        } catch (error) {
          onFault(error);
        }
      }
    },
  };
}

/** A property of what a channel reports, whose form no type promises. */
export function read(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

/** The same, when it is text. */
export function readText(of: unknown, name: string): string | null {
  const value = read(of, name);
  return typeof value === 'string' ? value : null;
}
