import { CSRF_HEADER, SESSION_COOKIE } from '@culprit/contract/workspace/sign-in';
import { type Html, html, joinHtml } from './html.ts';

/** From an address to a first call with a member token, as a shell with `HOST` set runs it. */
export const SIGN_IN_STEPS: readonly { text: Html; command: string }[] = [
  {
    text: html`<a href="#requestSignInCode">Request a code</a>. It is mailed and works once, within 10 minutes, with the cookie from this response.`,
    command: `curl -s -c cookies.txt "$HOST/v1/auth/request-code" -H 'Content-Type: application/json' \\
  -d '{"email":"dev@example.test","accepted_terms":true}'`,
  },
  {
    text: html`<a href="#verifySignInCode">Sign in with the code</a>. The response sets the cookie
<code>${SESSION_COOKIE}</code> and contains <code>csrf_token</code>.`,
    command: `curl -s -b cookies.txt -c cookies.txt "$HOST/v1/auth/verify-code" -H 'Content-Type: application/json' \\
  -d '{"email":"dev@example.test","code":"042917"}'`,
  },
  {
    text: html`<a href="#createMemberToken">Create a member token</a> with the cookie and the CSRF token. Its
<code>plaintext</code> is only in this response.`,
    command: `curl -s -b cookies.txt "$HOST/v1/member/tokens" -H 'Content-Type: application/json' \\
  -H "${CSRF_HEADER}: $CSRF_TOKEN" -d '{"label":"My laptop"}'`,
  },
  {
    text: html`Send the token with every call. It does not expire until it is revoked.`,
    command: `curl -s "$HOST/v1/projects" -H "Authorization: Bearer $MEMBER_TOKEN"`,
  },
];

/** The facts that every caller needs before the first call. */
export const START = html`<section id="start">
<h2>Getting started</h2>
<p>Requests and answers are JSON in UTF-8. Send a credential as <code>Authorization: Bearer &lt;token&gt;</code>:
a project token (<code>svc_proj_…</code>) sends events, a member token (<code>svc_mem_…</code>) does everything else.</p>
<p>Unknown body fields answer <code>400 invalid_payload</code>, unknown query parameters <code>400 invalid_query</code>.
Every error body is <code>{ "error": "&lt;code&gt;" }</code>; with <code>invalid_payload</code> the header
<code>X-Service-Problem</code> says what is wrong and where. Answers with status 429 or 503 say in
<code>Retry-After</code> how many seconds to wait.</p>
<p>Lists answer <code>next_cursor</code>; pass it as <code>cursor</code> for the next page. It is null on the last page.</p>
</section>
<section id="sign-in">
<h2>Signing in</h2>
<article id="sign-in-token">
<h3>From an email address to a member token</h3>
${joinHtml(
  SIGN_IN_STEPS.map(
    ({ text, command }, index) => html`<p>${index + 1}. ${text}</p>
<pre><code>${command}</code></pre>
`,
  ),
)}
<p>Without a browser and mail, sign in with GitHub on a device (<a href="#startDeviceRequest">start</a>,
<a href="#pollDeviceRequest">poll</a>, <a href="#claimDeviceRequest">claim</a>) or
<a href="#exchangeGithubToken">exchange a GitHub token</a>. Both end with a member token. Whoever runs the installation
can make the first one with <code>admin bootstrap</code>.</p>
</article>
<article id="sign-in-sessions">
<h3>Sessions and CSRF</h3>
<p>A browser session is the cookie <code>${SESSION_COOKIE}</code>. It is not readable by scripts, ends 7 days after the
sign-in or 24 hours after its last use, and does at every endpoint for members what a member token does.</p>
<p>A <code>POST</code>, <code>PUT</code>, <code>PATCH</code> or <code>DELETE</code> by cookie must repeat the
<code>csrf_token</code> of the session in the header <code>${CSRF_HEADER}</code>, and its <code>Origin</code>, when sent,
must be one of this service. Otherwise the answer is <code>403 invalid_csrf_token</code>. The token stays the same for
the life of the session; <a href="#getSession">read the session</a> to get it again. Calls with a bearer token need no
such header. If <code>Authorization</code> is sent, it alone decides and the cookie is ignored.</p>
</article>
</section>`;
