import { EdgeVM } from '@edge-runtime/vm'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { chromiumArguments } from '@fairlead/toolchains'
import { type Browser, chromium } from 'playwright-core'
import { rolldown } from 'rolldown'
import { build } from 'vite'
import webpack from 'webpack'

/** Bundles the program as the page of a Vite project. */
export async function bundleWithVite(folder: string): Promise<string> {
  await writeFile(join(folder, 'index.html'), '<!doctype html><script type="module" src="./web.js"></script>')
  const outDir = join(folder, 'vite')
  await build({
    root: folder,
    logLevel: 'error',
    configFile: false,
    build: { outDir, target: 'es2022', emptyOutDir: true },
  })
  return outDir
}

/** Bundles the program with webpack, for a page with a script. */
export async function bundleWithWebpack(folder: string): Promise<string> {
  const path = join(folder, 'webpack')
  const compiler = webpack({
    mode: 'production',
    context: folder,
    entry: './web.js',
    target: ['web', 'es2022'],
    output: { path, filename: 'page.js' },
    optimization: { minimize: false },
  })
  const stats = await new Promise<webpack.Stats | undefined>((done, failed) => {
    compiler.run((error, result) => (error ? failed(error) : done(result)))
  })
  if (stats?.hasErrors() === true) throw new Error(stats.toString({ all: false, errors: true }))
  await writeFile(join(path, 'index.html'), '<!doctype html><script type="module" src="./page.js"></script>')
  return path
}

/** Serves a folder as a page on a separate server, which forwards calls of the platform API to the gateway. */
async function servePage(folder: string, gateway: string) {
  const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' }
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization = '', accept = '*/*' } = request.headers
    const method = request.method ?? 'GET'
    const body = method === 'GET' ? {} : { body: await buffer(request) }
    const upstreamResponse = await fetch(gateway + request.url, {
      method,
      headers: { authorization, accept },
      ...body,
    })
    response.writeHead(upstreamResponse.status, {
      'content-type': upstreamResponse.headers.get('content-type') ?? '',
    })
    response.end(await upstreamResponse.text())
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (/^\/v[12]\//.test(request.url ?? '')) return forward(request, response)
    const name = request.url === '/' ? '/index.html' : (request.url ?? '')
    const file = await readFile(join(folder, name)).catch(() => undefined)
    if (!file) return response.writeHead(404).end()
    return response
      .writeHead(200, { 'content-type': types[name.split('.').at(-1) ?? ''] ?? 'text/plain' })
      .end(file)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server }
}

/** Opens a page in Chromium and returns the report of its program. */
export async function reportOfPage(executablePath: string, folder: string, gateway: string): Promise<string> {
  const { url, server } = await servePage(folder, gateway)
  let browser: Browser | undefined
  try {
    browser = await chromium.launch({ executablePath, args: chromiumArguments })
    const page = await browser.newPage()
    const report = new Promise<string>((resolve, reject) => {
      page.on('pageerror', reject)
      page
        .exposeFunction('done', resolve)
        .then(() => page.goto(url))
        .catch(reject)
      setTimeout(() => reject(new Error('the page reported nothing within a minute')), 60_000).unref()
    })
    return await report
  } finally {
    await browser?.close()
    server.close()
  }
}

/** Runs the program in an edge runtime and returns its report. */
export async function reportOfEdge(folder: string): Promise<string> {
  const bundle = await rolldown({ input: join(folder, 'web.js'), platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  const vm = new EdgeVM()
  return new Promise((done, failed) => {
    Object.assign(vm.context, { done })
    setTimeout(() => failed(new Error('the program reported nothing within a minute')), 60_000).unref()
    vm.evaluate(output[0].code)
  })
}
