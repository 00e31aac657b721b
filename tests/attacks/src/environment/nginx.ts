import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { reservePort } from '@fairlead/vitest/reserved-port'

/** What the documented configuration needs. */
export interface NginxOptions {
  readonly folder: string
  readonly certificate: string
  readonly key: string
  /** Host and port of the gateway. */
  readonly gateway: string
}

/** A running nginx with the names that it serves. */
export interface Nginx {
  readonly url: string
  readonly host: string
  readonly grpcHost: string
  stop(): Promise<void>
}

const page = resolve(import.meta.dirname, '../../../../docs/self-hosting/replicas.md')

/** Starts nginx with the configuration of docs/self-hosting/replicas.md in front of one gateway. */
export async function startDocumentedNginx(options: NginxOptions): Promise<Nginx> {
  const { folder, certificate, key, gateway } = options
  const documented = /```nginx\n([^]*?)```/.exec(await readFile(page, 'utf8'))?.[1] ?? ''
  const port = await reservePort()
  const names = [...documented.matchAll(/server_name (\S+);/g)].map(([, name]) => name ?? '')
  const [host = '', grpcHost = ''] = names
  const adapted = documented
    .replaceAll(/(upstream \S+ \{\n)(?: {2}server \S+;\n)+/g, `$1  server ${gateway};\n`)
    .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll(/ssl_certificate \S+;/g, `ssl_certificate ${certificate};`)
    .replaceAll(/ssl_certificate_key \S+;/g, `ssl_certificate_key ${key};`)
    .replaceAll('/var/log/nginx', folder)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};\n`)
    .join('')
  const file = join(folder, 'nginx.conf')
  const events = 'events { worker_connections 8192; }'
  await writeFile(file, `pid ${folder}/pid;\n${events}\nhttp {\n${temporary}${adapted}}\n`)
  const args = ['-p', folder, '-e', 'stderr', '-c', file, '-g', 'daemon off;']
  const nginx = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(nginx, 'exit')
  await untilListening(port)
  return {
    url: `https://127.0.0.1:${port}`,
    host,
    grpcHost,
    stop: async () => {
      nginx.kill('SIGTERM')
      await ended
    },
  }
}

async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true)).once('error', () => done(false))
    })
    socket.destroy()
    if (isOpen) return
    await pause(50)
  }
  throw new Error(`nginx does not listen on port ${port}.`)
}
