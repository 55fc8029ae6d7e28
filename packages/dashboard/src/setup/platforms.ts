/** How an event is sent from somewhere: what to run or write, in the order in which it is done. */
export interface Platform {
  id: string;
  name: string;
  /** A page's token is public, so it is made for the page's own origins. */
  isBrowser: boolean;
  steps: (place: { token: string; baseUrl: string }) => readonly { title: string; code: string }[];
}

/** Everything that our own libraries and plain HTTP offer. */
export const PLATFORMS: readonly Platform[] = [
  {
    id: 'curl',
    name: 'curl',
    isBrowser: false,
    steps: ({ token, baseUrl }) => [{ title: 'Send a test error', code: curlOf(token, baseUrl) }],
  },
  {
    id: 'node',
    name: 'Node',
    isBrowser: false,
    steps: ({ token, baseUrl }) => [
      { title: 'Install', code: 'npm install @culprit/node' },
      {
        title: 'Start your server with it',
        code: `CULPRIT_PROJECT_TOKEN=${token} CULPRIT_ENDPOINT=${baseUrl} NODE_ENV=production \\
  node --import @culprit/node/register server.js`,
      },
      {
        title: 'Send a test error',
        code: `CULPRIT_PROJECT_TOKEN=${token} CULPRIT_ENDPOINT=${baseUrl} NODE_ENV=production \\
  node --import @culprit/node/register -e "throw new Error('Hello from Node')"`,
      },
    ],
  },
  {
    id: 'browser',
    name: 'Browser',
    isBrowser: true,
    steps: ({ token, baseUrl }) => [
      { title: 'Install', code: 'npm install @culprit/browser' },
      {
        title: 'Begin your page with it',
        code: `import { init } from '@culprit/browser';

init({ token: '${token}', endpoint: '${baseUrl}', service: 'my-page' });`,
      },
      { title: 'Send a test error', code: `setTimeout(() => { throw new Error('Hello from a page'); });` },
    ],
  },
];

function curlOf(token: string, baseUrl: string): string {
  return `curl -s ${baseUrl}/v1/events \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" \\
  -d '{"events":[{"event_type":"backend_exception","timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","service":{"name":"my-app","environment":"production"},"payload":{"name":"Error","message":"Hello from curl","stack":"Error: Hello from curl\\n    at main (app.js:1:1)"}}]}'`;
}
