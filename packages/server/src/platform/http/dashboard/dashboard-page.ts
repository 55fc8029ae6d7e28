import { html } from '../reference/html.ts';

/** Returns the page at the dashboard's addresses while there is no build to show. It reloads by itself. */
export function renderUnbuiltPage(hasFailed: boolean): string {
  const title = hasFailed ? 'The dashboard could not be built' : 'The dashboard is being built';
  const text = hasFailed
    ? html`See the terminal of the service for the reason. After you fix it, run <code>npm run build:dashboard</code>; you do not have to restart the service.`
    : html`This takes a few seconds. The dashboard then opens automatically. If it does not, <code>npm run build:dashboard</code> shows the reason.`;
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
<p>The API is already available: <a href="/docs">its reference</a>.</p>
</body>
</html>
`.text;
}
