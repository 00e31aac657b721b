import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { createHttp2Server } from '@fairlead/grpc-transport'
import { FairleadError } from '@fairlead/core'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { processSocketData } from '@fairlead/vitest/wait-for'
import { createLog } from '../observe/log.ts'
import { openPorts } from './open-ports.ts'
import { followCertificate, readCertificate } from './tls-certificate.ts'

let directory: string
let certificateFile: string
let keyFile: string
let tls: { readonly tlsCertificateFile: string; readonly tlsKeyFile: string }

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-tls-'))
  certificateFile = join(directory, 'cert.pem')
  keyFile = join(directory, 'key.pem')
  tls = { tlsCertificateFile: certificateFile, tlsKeyFile: keyFile }
  await issue('one')
})
afterAll(() => rm(directory, { recursive: true }))

/** Writes a new certificate and key. */
async function issue(commonName: string): Promise<void> {
  const pair = await generate([{ name: 'commonName', value: commonName }], { keyType: 'ec' })
  await writeFile(keyFile, pair.private)
  await writeFile(certificateFile, pair.cert)
}

async function ports(options: Partial<Parameters<typeof openPorts>[0]> = {}) {
  const http1 = createServer((incoming, response) => response.end(`HTTP/${incoming.httpVersion}`))
  const http2 = createHttp2Server()
  http2.on('stream', (stream) => {
    stream.respond({ ':status': 200 })
    stream.end('HTTP/2')
  })
  const opened = await openPorts(
    {
      host: '127.0.0.1',
      port: 0,
      tlsPort: undefined,
      tlsCertificateFile: undefined,
      tlsKeyFile: undefined,
      ...options,
    },
    { http1, http2 },
    createLog('silent'),
  )
  onTestFinished(() => opened.close(0))
  return opened
}

async function overHttp2(url: string): Promise<string> {
  const session = connectHttp2(url, { rejectUnauthorized: false })
  const text = Buffer.concat(await session.request({ ':path': '/' }).toArray()).toString()
  session.close()
  return text
}

/** Sends a request over TLS as a client that offers these protocols. */
function overTls(url: string, ALPNProtocols: readonly string[] | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      rejectUnauthorized: false,
      agent: false,
      ...(ALPNProtocols && { ALPNProtocols: [...ALPNProtocols] }),
    }
    request(url, options, (response) => {
      response.setEncoding('utf8').once('data', resolve)
    })
      .on('error', reject)
      .end()
  })
}

describe('openPorts', () => {
  it('serves HTTP/1.1 and HTTP/2 on the plain port', async () => {
    const { url, tlsUrl } = await ports()
    expect(tlsUrl).toBeUndefined()
    expect(await (await fetch(url)).text()).toBe('HTTP/1.1')
    expect(await overHttp2(url)).toBe('HTTP/2')
  })

  it('detects HTTP/2 when its first bytes arrive one by one', async () => {
    const { url } = await ports()
    const socket = connectTcp(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.setNoDelay(true)
    const data = once(socket, 'data')
    for (const byte of Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0', 'latin1')) {
      socket.write(Buffer.of(byte))
      await processSocketData()
    }
    // A SETTINGS frame.
    expect((await data)[0].subarray(3, 5)).toEqual(Buffer.of(4, 0))
  })

  it('serves both on the TLS port: HTTP/1.1 for browsers, HTTP/2 for gRPC clients', async () => {
    const { url, tlsUrl = '' } = await ports({ tlsPort: 0, ...tls })
    expect(tlsUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(new URL(tlsUrl).port).not.toBe(new URL(url).port)
    expect(await overTls(tlsUrl, ['h2', 'http/1.1'])).toBe('HTTP/1.1')
    expect(await overTls(tlsUrl, ['http/1.1'])).toBe('HTTP/1.1')
    expect(await overTls(tlsUrl, undefined)).toBe('HTTP/1.1')
    expect(await overHttp2(tlsUrl)).toBe('HTTP/2')
  })

  it('does not wait for connections that were never used', async () => {
    const { url, tlsUrl = '', close } = await ports({ tlsPort: 0, ...tls })
    const plain = connectTcp(Number(new URL(url).port), '127.0.0.1')
    const secure = connectTls(Number(new URL(tlsUrl).port), '127.0.0.1', { rejectUnauthorized: false })
    await Promise.all([once(plain, 'connect'), once(secure, 'secureConnect')])
    for (const socket of [plain, secure]) socket.on('error', () => undefined)
    // Longer than the timeout of the test.
    await close(600_000)
  })

  it.each([
    [{ tlsPort: 0 }, 'FAIRLEAD_TLS_PORT'],
    [{ tlsPort: 0, tlsCertificateFile: 'c4n4ry' }, 'FAIRLEAD_TLS_PORT'],
    [{ tlsPort: 0, tlsCertificateFile: '/none', tlsKeyFile: '/none' }, 'FAIRLEAD_TLS_CERTIFICATE_FILE'],
  ])('reports the cause for %j', async (options, option) => {
    await expect(ports(options)).rejects.toMatchObject({ code: 'CONFIG_INVALID', details: { option } })
  })

  it('names the port that is in use', async () => {
    const { url } = await ports()
    const port = Number(new URL(url).port)
    await expect(ports({ port })).rejects.toMatchObject({ details: { option: 'port' } })
    const problem = await ports({ tlsPort: port, ...tls }).catch((error: unknown) => error)
    if (!FairleadError.is(problem, 'CONFIG_INVALID')) throw new Error('It was accepted.')
    expect(problem.details).toMatchObject({
      option: 'tlsPort',
      rule: expect.stringContaining('FAIRLEAD_TLS_PORT'),
    })
  })
})

describe('the certificate', () => {
  it('is reloaded when its files have changed, only as a matching pair', async () => {
    await issue('one')
    const files = { certificateFile, keyFile }
    const reported: string[] = []
    const lines = memory()
    const names = async () => {
      const { cert } = await readCertificate(files)
      return cert.toString()
    }
    const first = await readCertificate(files)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    /** Triggers several checks of the files. The read here completes after the read of the check. */
    const advanceChecks = async () => {
      for (let check = 0; check < 3; check++) {
        vi.advanceTimersByTime(20)
        await readCertificate(files).catch(() => undefined)
        await processSocketData()
      }
    }
    const end = followCertificate(
      files,
      first,
      ({ cert }) => reported.push(cert.toString()),
      createLog('info', lines.stream),
      20,
    )
    onTestFinished(end)
    await advanceChecks()
    expect(reported).toEqual([])
    const { private: otherKey } = await generate([], { keyType: 'ec' })
    await writeFile(keyFile, otherKey)
    await vi.waitFor(() => expect(lines.text()).toContain('cannot be used'))
    await advanceChecks()
    expect(lines.text().match(/cannot be used/g)).toHaveLength(1)
    expect(lines.text()).not.toMatch(/PRIVATE KEY/)
    expect(reported).toEqual([])
    await issue('two')
    await vi.waitFor(() => expect(reported).toHaveLength(1))
    expect(reported[0]).toBe(await names())
    expect(reported[0]).not.toBe(first.cert.toString())
  })

  it('must be valid', async () => {
    await writeFile(keyFile, 'c4n4ry')
    await expect(readCertificate({ certificateFile, keyFile })).rejects.toMatchObject({
      details: { rule: expect.not.stringContaining('c4n4ry') },
    })
    await issue('three')
  })
})
