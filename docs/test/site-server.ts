import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { type HttpServer, startHttpServer } from '@fairlead/vitest/http-server'
import { site } from './built-site.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Serves the built site on a loopback port, and its page `404.html` for paths without a file. */
export function serveSite(): Promise<HttpServer> {
  return startHttpServer(async ({ url }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    const found = await readFile(join(site, decodeURIComponent(path))).catch(() => undefined)
    const body = found ?? (await readFile(join(site, '404.html')))
    const type = types[found === undefined ? '.html' : extname(path)] ?? 'text/plain; charset=utf-8'
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': type }).end(body)
  })
}
