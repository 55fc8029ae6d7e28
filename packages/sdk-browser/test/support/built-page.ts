import { rolldown } from 'rolldown';
import type { HostFolder } from '../../../sdk-test-hosts/hosts.ts';
import { type PageLab, TOKEN } from './page-lab.ts';
import type { SentEvent } from './recording-endpoint.ts';

/** What became of a page of an application. */
interface BuiltPage {
  /** The exceptions that arrived, as short as tests compare them. */
  events: { message: unknown; handled: unknown; context: Record<string, unknown> }[];
  /** Everything that arrived. */
  sent: SentEvent[];
  printed: string[];
}

/**
 * Builds a page of an application for production, shows it, and returns what arrived. The page is done 200 ms after the
 * promise that it leaves in `window.ready`.
 * @param options of `init`, besides token, endpoint and service
 */
export async function showBuiltPage(
  lab: PageLab,
  folder: HostFolder,
  name: string,
  source: string,
  options = '',
): Promise<BuiltPage> {
  const input = folder.write(
    `${name}.js`,
    `import { flush, init } from '@culprit/browser';
     init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}', service: '${name}', ${options} });
     ${source}
     window.done = Promise.resolve(window.ready).then(() => new Promise((resolve) => setTimeout(resolve, 200))).then(() => flush(5000));`,
  );
  const bundler = await rolldown({
    input,
    cwd: folder.path,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"', __VUE_PROD_DEVTOOLS__: 'false' } },
    onLog: () => {},
  });
  const { output } = await bundler.generate({ format: 'iife', codeSplitting: false });
  await bundler.close();
  lab.site.serve(`/${name}.js`, 'text/javascript', output[0].code);
  lab.site.serve(
    `/${name}`,
    'text/html',
    `<!doctype html><div id="app"></div><script src="/${name}.js"></script>`,
  );
  const page = await lab.browser.newPage();
  const printed: string[] = [];
  page.on('console', (message) => printed.push(message.text()));
  await page.goto(`${lab.site.origin}/${name}`);
  await page.evaluate('done');
  await page.close();
  const sent = lab.endpoint.events().filter(({ service }) => Object(service).name === name);
  const events = sent
    .filter(({ event_type }) => event_type === 'frontend_exception')
    .map(({ payload, context }) => ({ message: payload.message, handled: payload.handled, context }));
  return { events, sent, printed };
}
