import type { OutgoingHttpHeaders } from 'node:http'
import type { RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import { sendInChunks } from '@fairlead/gateway-core/http/send-in-chunks'
import {
  type HttpRequest,
  type HttpResponse,
  sendContent,
  setHeaders,
} from '@fairlead/gateway-core/http/types'
import { requestPath } from '@fairlead/gateway-core/http/request-target'
import type { Route } from '@fairlead/gateway-core/http/router'
import { type ConsoleFile, ConsoleFiles } from './console-files.ts'

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
  const files = new ConsoleFiles(folder)
  return pages.map(([prefix, page]) => ({
    pattern: { prefix },
    handler: (request, response) => {
      const path = requestPath(request.url ?? '')
      const name = fileNameOf(path)
      if (request.method !== 'GET' && request.method !== 'HEAD') send(response, 405, { allow: 'GET, HEAD' })
      else if (path === `/${prefix}`) send(response, 308, { location: `/${prefix}/` })
      else serve(files, name ?? page, name !== undefined, request, response).catch(() => response.destroy())
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
  files: ConsoleFiles,
  name: string,
  isFile: boolean,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const { 'accept-encoding': encodings = '' } = request.headers
  const file = await files.find(name, encodings)
  const isBodyless = request.method === 'HEAD'
  if (file) sendFile(request, response, file, name.startsWith('assets/'))
  else if (isFile) send(response, 404)
  else send(response, 200, { 'content-type': 'text/html; charset=utf-8' }, isBodyless ? '' : notBuilt)
}

function sendFile(request: HttpRequest, response: HttpResponse, file: ConsoleFile, isHashed: boolean): void {
  if (response.destroyed) return
  const { bytes, type, etag, encoding } = file
  const common: OutgoingHttpHeaders = {
    ...headers,
    etag,
    // The name of a hashed file changes with its content.
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  }
  if (isMatch(request.headers['if-none-match'], etag)) {
    sendContent(response, 304, common)
    return
  }
  setHeaders(response, {
    ...common,
    'content-type': type,
    'content-length': bytes.length,
    'content-encoding': encoding,
  })
  if (request.method === 'HEAD') response.end()
  else sendInChunks(response.contentStream(), bytes)
}

/** Whether the client has this version of a file (RFC 9110, section 13.1.2). */
function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((part) => {
    const tag = part.trim()
    return tag === '*' || tag.replace(/^W\//, '') === etag
  })
}

function send(
  response: HttpResponse,
  status: number,
  extraHeaders: Readonly<Record<string, string>> = {},
  text = '',
): void {
  sendContent(response, status, { ...headers, 'cache-control': 'no-cache', ...extraHeaders }, text)
}
