import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { generate } from 'selfsigned'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectionsTo, overServer, plain, post } from '../testing/scripted-upstream.ts'

/** An upstream with a self-signed certificate for an IP address or a name. */
async function secured(
  altName: { readonly type: 7; readonly ip: string } | { readonly type: 2; readonly value: string },
) {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'upstream' }], {
    keySize: 2_048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [altName] },
    ],
  })
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-authority-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const certificateAuthorityFile = join(folder, 'authority.pem')
  await writeFile(certificateAuthorityFile, cert)
  const server = createServer({ cert, key }).on('tlsClientError', () => undefined)
  const upstream = await overServer(server, 'secureConnection', 'https', ({ socket, body }) =>
    socket.write(plain(body.length > 100_000 ? body : `safe ${body}`)),
  )
  return { ...upstream, certificateAuthorityFile }
}

describe('an upstream behind TLS', () => {
  it('is called when its certificate is signed by the configured CA', async () => {
    const { url, certificateAuthorityFile } = await secured({ type: 7, ip: '127.0.0.1' })
    const connections = connectionsTo(url, { certificateAuthorityFile, maxConnections: 6 })
    const calls = Array.from({ length: 40 }, (_, index) =>
      connections.request(post(`${index}`, { latencyClass: index % 2 === 0 ? 'short' : 'long' })),
    )
    const texts = (await Promise.all(calls)).map(({ bytes }) => bytes?.toString())
    expect(texts).toEqual(calls.map((_, index) => `safe ${index}`))
    const long = await connections.request(post('x'.repeat(2_000_000)))
    expect(Buffer.concat((await long.body.toArray()) as Buffer[]).length).toBe(2_000_000)
  })

  it('is called with its server name (SNI)', async () => {
    const { url, certificateAuthorityFile } = await secured({ type: 2, value: 'localhost' })
    url.hostname = 'localhost'
    const response = await connectionsTo(url, { certificateAuthorityFile }).request(post('a'))
    expect(response.bytes?.toString()).toBe('safe a')
  })

  it('receives nothing when its certificate is untrusted', async () => {
    const { url, requests } = await secured({ type: 7, ip: '127.0.0.1' })
    await expect(connectionsTo(url).request(post('secret'))).rejects.toMatchObject({ kind: 'connect_failed' })
    expect(requests).toHaveLength(0)
  })

  it('receives nothing when its certificate is for another host', async () => {
    const { url, requests, certificateAuthorityFile } = await secured({ type: 2, value: 'other.example' })
    const connections = connectionsTo(url, { certificateAuthorityFile })
    await expect(connections.request(post('secret'))).rejects.toMatchObject({ kind: 'connect_failed' })
    expect(requests).toHaveLength(0)
  })

  it('cannot be called when the CA file is missing', () => {
    expect(() =>
      connectionsTo(new URL('https://localhost'), { certificateAuthorityFile: '/nowhere.pem' }),
    ).toThrow('ENOENT')
  })
})
