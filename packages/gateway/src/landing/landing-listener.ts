import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestPath } from '../access/listen/node-path.ts'

// Nothing on the page comes from a request, and nothing on it is fetched from anywhere.
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fairlead</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  main { max-width: 42rem; margin: 12vh auto; padding: 0 1rem }
  td { padding: .2rem 1rem .2rem 0; vertical-align: top }
</style>
<main>
  <h1>Fairlead is running</h1>
  <table>
    <tr><td>Platform API</td><td><code>GET /v1/organization/</code>, <code>GET /v2/projects/</code>, <code>GET /v2/nodes/&lt;id&gt;/methods/</code> with a bearer key</td></tr>
    <tr><td>EVM node</td><td><code>POST /&lt;token&gt;</code>, <code>POST /&lt;token&gt;/evm</code>, or <code>POST /</code> with basic authentication</td></tr>
    <tr><td>EVM node by WebSocket</td><td><code>/ws/&lt;token&gt;</code>, or <code>/ws</code> with basic authentication</td></tr>
    <tr><td>Beacon node</td><td><code>/beacon/&lt;token&gt;/eth/...</code>, or <code>/beacon/eth/...</code> with basic authentication</td></tr>
    <tr><td>Jetton chain node</td><td><code>/&lt;token&gt;/api/v2/...</code>, <code>/&lt;token&gt;/api/v3/...</code>, or <code>/api/...</code> with basic authentication</td></tr>
    <tr><td>gRPC node</td><td>this host and port with the metadata <code>x-token</code>, over HTTP/2 or as gRPC-web</td></tr>
    <tr><td>Health</td><td><a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a></td></tr>
  </table>
  <p>In development mode the key and the credentials are in <code>.fairlead/dev.json</code>.</p>
</main>
`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/**
 * Answers `GET /console/` with a page that says what is served where; other requests are left untouched.
 *
 * @returns true when the request was taken
 */
export function landingListener(request: IncomingMessage, response: ServerResponse): boolean {
  const path = requestPath(request.url ?? '')
  if (path !== '/console' && path !== '/console/') return false
  if (request.method === 'GET' || request.method === 'HEAD') response.writeHead(200, headers).end(page)
  else response.writeHead(405, { allow: 'GET, HEAD' }).end()
  return true
}
