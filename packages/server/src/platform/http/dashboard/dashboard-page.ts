import { html } from '../reference/html.ts';

/** Returns the page at the dashboard's addresses while there is no build to show. It reloads by itself. */
export function renderUnbuiltPage(hasFailed: boolean): string {
  const title = hasFailed ? 'The dashboard could not be built' : 'The dashboard is being built';
  const text = hasFailed
    ? html`The terminal where the service runs says why. Once that is fixed, run <code>npm run build:dashboard</code>; the service need not be started again.`
    : html`This takes a few seconds, and this page becomes the dashboard by itself. If it does not, <code>npm run build:dashboard</code> says why.`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Culprit</title>
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
<p>The API answers already: <a href="/docs">its reference</a>.</p>
</body>
</html>
`.text;
}
