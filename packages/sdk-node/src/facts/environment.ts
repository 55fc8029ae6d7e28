/**
 * The variables of the process. A runtime that lets none of them be read, or not each, has none: Deno throws for them.
 * Those of `process.env` at the time: a host may replace it.
 */
export const ENVIRONMENT: NodeJS.ProcessEnv = new Proxy(
  {},
  {
    get(_, name) {
      try {
        return Reflect.get(process.env, name);
      } catch {
        return undefined;
      }
    },
  },
);
