import { request as requestByNode } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { connectionsTo, post, scriptedUpstream } from '../testing/scripted-upstream.ts'

/** Returns pseudo-random numbers below a bound, the same in every run. */
function dice(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

function generatedResponse(roll: (bound: number) => number): string {
  const body = Array.from({ length: roll(3) === 0 ? 0 : roll(2_000) }, () =>
    String.fromCharCode(roll(256)),
  ).join('')
  const fields = Array.from(
    { length: roll(6) },
    (_, index) => `X-${index}:${' '.repeat(roll(3))}v${roll(1_000)}\r\n`,
  )
  const interim = roll(4) === 0 ? 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n' : ''
  const head = `${interim}HTTP/1.1 ${200 + roll(3)} ${roll(2) === 0 ? 'OK' : ''}\r\n${fields.join('')}`
  if (roll(2) === 0) return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
  let chunks = ''
  for (let at = 0; at < body.length;) {
    const part = body.slice(at, at + 1 + roll(400))
    at += part.length
    chunks += `${part.length.toString(16)}${roll(3) === 0 ? ';a=b' : ''}\r\n${part}\r\n`
  }
  return `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n${roll(3) === 0 ? 'Trailer: x\r\n' : ''}\r\n`
}

async function sendInPieces(socket: Socket, text: string, roll: (bound: number) => number): Promise<void> {
  for (let at = 0; at < text.length;) {
    const part = text.slice(at, at + 1 + roll(roll(2) === 0 ? 20 : 2_000))
    at += part.length
    socket.write(part, 'latin1')
    await new Promise(setImmediate)
  }
}

function byNode(url: URL, body: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const request = requestByNode(
      url,
      { method: 'POST', headers: { 'content-length': body.length } },
      (response) => {
        let text = ''
        response.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode, text })).on('error', reject)
      },
    )
    request.on('error', reject).end(body)
  })
}

it('parses a response in random chunks like node:http', async () => {
  const { url } = await scriptedUpstream(({ socket, body }) => {
    const roll = dice(Number(body))
    return sendInPieces(socket, generatedResponse(roll), roll)
  })
  const connections = connectionsTo(url)
  for (let seed = 1; seed <= 120; seed++) {
    const [expected, response] = await Promise.all([
      byNode(url, `${seed}`),
      connections.request(post(`${seed}`)),
    ])
    const parts = (await response.body.toArray()) as Buffer[]
    expect(
      { status: response.status, text: Buffer.concat(parts).toString('latin1') },
      `seed ${seed}`,
    ).toEqual(expected)
  }
})
