import type { OutgoingHttpHeaders } from 'node:http'
import type { RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import { type HttpRequest, type HttpResponse, sendContent } from '@fairlead/gateway-core/http/types'
import { requestPath } from '@fairlead/gateway-core/http/request-target'
import type { Route } from '@fairlead/gateway-core/http/router'
import { type ConsoleFile, readConsoleFile } from './console-files.ts'

// The prefix and the file of each page. The page itself routes the paths below its prefix.
const pages = [
  ['console', 'index.html'],
  ['docs', 'reference.html'],
] as const

const consoleFiles = '/console/'

// Allows the console's own scripts, styles and images, requests to this gateway, and nothing else.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fairlead</title>
<h1>Fairlead is running</h1>
<p>The console was not built. Run <code>pnpm --filter @fairlead/console build</code> in the repository, then reload this page.</p>
</html>
`

/**
 * Creates the routes of everything below `/console` and `/docs`.
 *
 * @param folder - output of the console build
 */
export function consoleRoutes(folder: string): readonly Route<RequestHandler>[] {
  return pages.map(([prefix, page]) => ({
    pattern: { prefix },
    handler: (request, response) => {
      const path = requestPath(request.url ?? '')
      const name = fileNameOf(path)
      if (request.method !== 'GET' && request.method !== 'HEAD') send(response, 405, { allow: 'GET, HEAD' })
      else if (path === `/${prefix}`) send(response, 308, { location: `/${prefix}/` })
      else serve(folder, name ?? page, name !== undefined, request, response).catch(() => response.destroy())
    },
  }))
}

/** Returns the file that a path requests; undefined for a path that a page handles. */
function fileNameOf(path: string): string | undefined {
  // Operation names may contain dots; all files are below the path of the console.
  if (!path.startsWith(consoleFiles)) return undefined
  const name = path.slice(consoleFiles.length)
  return name.startsWith('assets/') || name.includes('.') ? name : undefined
}

async function serve(
  folder: string,
  name: string,
  isFile: boolean,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const { 'accept-encoding': encodings = '' } = request.headers
  const file = await readConsoleFile(folder, name, encodings)
  const isBodyless = request.method === 'HEAD'
  if (file) sendFile(response, file, name.startsWith('assets/'), isBodyless)
  else if (isFile) send(response, 404)
  else send(response, 200, { 'content-type': 'text/html; charset=utf-8' }, isBodyless ? '' : notBuilt)
}

function sendFile(response: HttpResponse, file: ConsoleFile, isHashed: boolean, isBodyless: boolean): void {
  const sent: OutgoingHttpHeaders = {
    ...headers,
    'content-type': file.type,
    'content-length': file.bytes.length,
    // The name of a hashed file changes with its content.
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(file.encoding && { 'content-encoding': file.encoding }),
  }
  sendContent(response, 200, sent, isBodyless ? undefined : file.bytes)
}

function send(
  response: HttpResponse,
  status: number,
  extraHeaders: Readonly<Record<string, string>> = {},
  text = '',
): void {
  sendContent(response, status, { ...headers, 'cache-control': 'no-cache', ...extraHeaders }, text)
}
