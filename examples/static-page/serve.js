import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

/** Any web server does; this one keeps the example small. */
const FILES = {
  '/': ['text/html; charset=utf-8', new URL('public/index.html', import.meta.url)],
  '/prices.js': ['text/javascript', new URL('public/prices.js', import.meta.url)],
  '/culprit.js': ['text/javascript', new URL(import.meta.resolve('@culprit/browser/script'))],
};

const server = createServer(async (request, response) => {
  const [type, file] = FILES[request.url.split('?', 1)[0]] ?? [];
  response.writeHead(file === undefined ? 404 : 200, type === undefined ? {} : { 'content-type': type });
  response.end(file === undefined ? '' : await readFile(file));
});

server.listen(process.env.PORT ?? 3000, () => console.log(`http://localhost:${server.address().port}`));
