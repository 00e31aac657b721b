import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { reservePort } from '@fairlead/vitest/reserved-port'
import { allFences, placeOf } from '../pages/fence.ts'

const fences = allFences.filter(({ language }) => language === 'nginx')
const hasNginx = spawnSync('nginx', ['-v']).status === 0

describe.each(fences.map((fence) => [placeOf(fence), fence.text] as const))('%s', (_, text) => {
  it('is made of directives and blocks', () => {
    expect(directivesOf(text)).toEqual(
      expect.arrayContaining(['upstream', 'server', 'location', 'proxy_pass']),
    )
  })

  // nginx keeps connections by upstream, whichever protocol they use.
  it('uses no upstream for both HTTP/1.1 and gRPC', () => {
    const namesIn = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name)
    const overGrpc = namesIn(/grpc_pass grpcs?:\/\/(\w+);/g)
    expect(namesIn(/proxy_pass https?:\/\/(\w+);/g).filter((name) => overGrpc.includes(name))).toEqual([])
  })

  it.skipIf(!hasNginx)('is taken by nginx', async () => {
    const args = ['-t', ...(await installed(onPort(text, await reservePort()))).args]
    expect(() => execFileSync('nginx', args, { stdio: 'pipe' })).not.toThrow()
  })

  it.skipIf(!hasNginx)('writes no token anywhere when no replica answers', async () => {
    const port = await reservePort()
    const withoutReplicas = text.replaceAll(/server 10\.0\.0\.\d+:8645/g, 'server 127.0.0.1:1')
    const { folder, args } = await installed(onPort(withoutReplicas, port))
    const nginx = spawn('nginx', [...args, '-g', 'daemon off;'], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [nginx.stdout, nginx.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    const ended = once(nginx, 'close')
    const names = [...text.matchAll(/server_name (\S+);/g)].map(([, name]) => name ?? '')
    try {
      for (const name of names) {
        const answer = () => statusOf(port, name, '/marked-token')
        expect(await vi.waitFor(answer, { timeout: 20_000 })).toBe(502)
      }
    } finally {
      nginx.kill('SIGQUIT')
      await ended
    }
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
    const written = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'))
    // The log contains the request, so the search for the token below is meaningful.
    expect(written.join('')).toContain('fairlead.example.com GET 502')
    expect([...written, output].filter((one) => one.includes('marked-token'))).toEqual([])
  })
})

/** Writes the configuration to a folder, with a certificate, and returns the arguments for nginx. */
async function installed(text: string): Promise<{ folder: string; args: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-nginx-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'fairlead.example.com' }])
  writeFileSync(join(folder, 'fullchain.pem'), cert)
  writeFileSync(join(folder, 'privkey.pem'), key)
  const here = text.replaceAll('/etc/nginx/tls', folder).replaceAll('/var/log/nginx', folder)
  const file = join(folder, 'nginx.conf')
  // The temporary folders of the distribution belong to another nginx.
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};\n`)
    .join('')
  writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp {\n${places}${here}}\n`)
  return { folder, args: ['-p', folder, '-e', 'stderr', '-c', file] }
}

/** The configuration on a port that needs no privileges. The nginx configuration test binds its ports, too. */
function onPort(text: string, port: number): string {
  return text.replaceAll('listen 443', `listen 127.0.0.1:${port}`)
}

function statusOf(port: number, servername: string, path: string): Promise<number | undefined> {
  return new Promise((done, failed) => {
    const headers = { host: servername }
    const call = {
      host: '127.0.0.1',
      port,
      servername,
      path,
      headers,
      rejectUnauthorized: false,
      agent: false,
    }
    request(call, (response) => done(response.resume().statusCode))
      .on('error', failed)
      .end()
  })
}

/** The names of all directives. Throws if a block or statement does not end correctly. */
function directivesOf(text: string): readonly string[] {
  const words = text.replaceAll(/^\s*#.*$/gm, '').match(/'[^']*'|"[^"]*"|[{};]|[^\s{};]+/g) ?? []
  const names: string[] = []
  let depth = 0
  let isFirst = true
  for (const word of words) {
    if (word === '{') depth += 1
    if (word === '}') {
      if (!isFirst || depth === 0) throw new Error('a block ends where none can')
      depth -= 1
    }
    const ends = /^[{};]$/.test(word)
    if (isFirst && !ends) names.push(word)
    isFirst = ends
  }
  if (depth !== 0 || !isFirst) throw new Error('a block or a statement does not end')
  return names
}
