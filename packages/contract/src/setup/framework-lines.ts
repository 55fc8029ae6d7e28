/** The line that a framework needs beside the start of a library. */
interface FrameworkLine {
  /** The framework, and the position of the line. */
  framework: string;
  /** The entry that has it, and what is imported from there. */
  entry: string;
  names: readonly string[];
  line: string;
}

/** The frameworks of servers that answer their own errors, or whose errors reach no channel of Node. */
export const SERVER_LINES: readonly FrameworkLine[] = [
  {
    framework: 'Express 4, 5.0 to 5.2: after the routes',
    entry: '@culprit/node/express',
    names: ['errorHandler'],
    line: 'app.use(errorHandler());',
  },
  {
    framework: 'NestJS: in app.module.ts',
    entry: '@culprit/node/nest',
    names: ['culpritModule'],
    line: '@Module({ imports: [culpritModule()] })',
  },
  {
    framework: 'Koa: before the routes, after an error handler of your own',
    entry: '@culprit/node/koa',
    names: ['middleware'],
    line: 'app.use(middleware());',
  },
  {
    framework: 'Hono: before everything else',
    entry: '@culprit/node/hono',
    names: ['middleware'],
    line: 'app.use(middleware());',
  },
  {
    framework: 'hapi',
    entry: '@culprit/node/hapi',
    names: ['plugin'],
    line: 'await server.register(plugin);',
  },
  {
    framework: 'Nuxt: in server/plugins/culprit.ts',
    entry: '@culprit/node',
    names: ['captureException', 'currentScope'],
    line: `export default defineNitroPlugin((nitro) => nitro.hooks.hook('error', (error, { event }) => {
  currentScope().setRoute(event?.context.matchedRoute?.path);
  if (!(error.statusCode < 500)) captureException(error);
}));`,
  },
  {
    framework: 'GraphQL Yoga; Apollo Server, Mercurius and tRPC: see the README of the package',
    entry: '@culprit/node/graphql',
    names: ['reportErrors'],
    line: 'createYoga({ schema, plugins: [useErrorHandler(({ errors }) => reportErrors(errors))] });',
  },
  {
    framework: 'AWS Lambda, with NODE_OPTIONS="--import @culprit/node/register"',
    entry: '@culprit/node/lambda',
    names: ['withLambda'],
    line: 'export const handler = withLambda(async (event, context) => {});',
  },
  {
    framework: 'Jobs of queues, messages of WebSockets',
    entry: '@culprit/node',
    names: ['withJob'],
    line: "await withJob('mails', () => send(job));",
  },
];

/** Frameworks of pages that keep errors to themselves. */
export const PAGE_LINES: readonly FrameworkLine[] = [
  {
    framework: 'React 19',
    entry: '@culprit/browser/frameworks',
    names: ['reactErrorHandler'],
    line: `createRoot(document.getElementById('root'), { onCaughtError: reactErrorHandler }).render(<App />);
// React Router 7.8 and newer, in framework mode on HydratedRouter of entry.client:
<RouterProvider router={router} onError={reactErrorHandler} />`,
  },
  {
    framework: 'Vue',
    entry: '@culprit/browser/frameworks',
    names: ['vueErrorHandler'],
    line: "const app = createApp(App);\napp.config.errorHandler = vueErrorHandler;\napp.mount('#app');",
  },
  {
    framework: 'Angular: in the providers',
    entry: '@culprit/browser/frameworks',
    names: ['angularErrorHandler'],
    line: '{ provide: ErrorHandler, useValue: angularErrorHandler }',
  },
];

/** The step of a platform that shows them. */
export function stepOfLines(lines: readonly FrameworkLine[], others: string) {
  const code = lines
    .map(
      ({ framework, entry, names, line }) =>
        `// ${framework}\nimport { ${names.join(', ')} } from '${entry}';\n${line}`,
    )
    .join('\n\n');
  return { title: 'Add the line of your framework', code, note: others };
}
