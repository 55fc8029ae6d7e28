import { WEBHOOK_EVENTS } from '@culprit/contract/alerts/webhook-events';
import { WEBHOOK_HEADERS, webhookEvents } from '@culprit/contract/alerts/webhook-payloads';
import { type Html, html, joinHtml } from './html.ts';
import { recordAnchor } from './reference-fields.ts';

/** The check of a delivery in a receiver for Node. */
export const NODE_VERIFICATION = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** body: the bytes as they were received, before any JSON parser. */
export function isAuthentic(secret, body, signature) {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const received = Buffer.from(String(signature));
  return received.length === expected.length && timingSafeEqual(received, expected);
}
`;

/** The same for Python. */
export const PYTHON_VERIFICATION = `import hashlib
import hmac


def is_authentic(secret, body, signature):
    """body: the bytes as they were received, before any JSON parser."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode())
`;

/** Renders the facts that a receiver of webhooks needs: headers, the signature and every body. */
export function renderWebhooks(): Html {
  return html`<section id="webhook-deliveries">
<h2>Receiving webhooks</h2>
<p>A webhook, created with <a href="#createWebhook"><code>POST /v1/webhooks</code></a>, receives each of its events as a
<code>POST</code> of JSON. Respond with any status from 200 to 299 within 10 seconds. Anything else, including a redirect, is a failure and is retried: 10 attempts in about 22 hours. Every attempt sends the same bytes.</p>
<article id="webhook-headers">
<h3>Headers</h3>
<div class="scroll"><table>
<thead><tr><th scope="col">Header</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${joinHtml(
  Object.entries(WEBHOOK_HEADERS).map(
    ([name, meaning]) => html`<tr><th scope="row">${name}</th><td>${meaning}</td></tr>
`,
  ),
)}</tbody>
</table></div>
</article>
<article id="webhook-signature">
<h3>Verifying the signature</h3>
<p>The signature covers the raw body. Compute it over the bytes that arrived, not over JSON that was parsed and written
again, with the whole <code>signing_secret</code> as the key, and compare in constant time.</p>
<h4>Node</h4>
<pre><code>${NODE_VERIFICATION}</code></pre>
<h4>Python</h4>
<pre><code>${PYTHON_VERIFICATION}</code></pre>
</article>
${joinHtml(WEBHOOK_EVENTS.map(renderEvent))}
</section>`;
}

/** The payloads, to be listed among the records. */
export const webhookPayloads: readonly unknown[] = WEBHOOK_EVENTS.map((name) => webhookEvents[name].payload);

function renderEvent(name: (typeof WEBHOOK_EVENTS)[number]): Html {
  const { summary, payload, example } = webhookEvents[name];
  const title = 'title' in payload ? String(payload.title) : '';
  return html`<article id="event-${name}">
<h3><a href="#event-${name}">${name}</a></h3>
<p>${summary}. Body: <a href="#${recordAnchor(title)}">${title}</a></p>
<pre><code>${JSON.stringify(example, null, 2)}</code></pre>
</article>
`;
}
