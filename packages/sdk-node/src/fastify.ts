import { instrumentFastify } from './capture/fastify-hooks.ts';

/**
 * For instances of Fastify that were created before `init`: `app.register(plugin)`. Instances created later report
 * their errors without it.
 */
export function plugin(instance: object, _options: unknown, done: (error?: Error) => void): void {
  try {
    instrumentFastify(instance);
  } catch {
    // An instance of another form keeps working without capture.
  }
  done();
}

// The hooks shall see the routes of the whole application, not only those registered inside the plugin.
Reflect.set(plugin, Symbol.for('skip-override'), true);
Reflect.set(plugin, Symbol.for('fastify.display-name'), '@culprit/node');

export { relay } from './relay/mounts/fastify.ts';
