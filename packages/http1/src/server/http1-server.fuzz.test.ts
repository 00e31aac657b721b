import { expect, it } from 'vitest'
import { drawFrom, generatedStream, piecesOf, repeatedMessage } from '../testing/generated-messages.ts'
import { http1Reader, maxPaced, nodeReader, type ReadStream, settle } from '../testing/read-messages.ts'

// A longer run: HTTP1_FUZZ_STREAMS=1000000 HTTP1_FUZZ_SEED=2 vitest run http1-server.fuzz
const streams = Number(process.env['HTTP1_FUZZ_STREAMS'] ?? 4_000)
const seed = Number(process.env['HTTP1_FUZZ_SEED'] ?? 1)
const atATime = 100

it('parses the same messages as node:http', { timeout: 3_600_000 }, async () => {
  const draw = drawFrom(seed)
  const node = nodeReader()
  const http1 = http1Reader()
  let served = 0
  let fallbacks = 0
  for (let done = 0; done < streams; done += atATime) {
    const pairs = Array.from({ length: atATime }, () => {
      const stream = generatedStream(draw)
      const cut = piecesOf(stream, draw)
      if (draw(2) === 0) return { pieces: cut, byNode: node.begin(cut), byHttp1: http1.begin(cut) }
      const pieces = [...repeatedMessage(draw), ...cut].slice(0, maxPaced)
      return { pieces, byNode: node.beginPaced(pieces), byHttp1: http1.beginPaced(pieces) }
    })
    await settle()
    for (const { pieces, byNode, byHttp1 } of pairs) {
      served += byHttp1.served
      if (byHttp1.isFallback) fallbacks += 1
      const read = comparable(byHttp1)
      // While it waits for the rest of a head, node:http may already have rejected it.
      const expected = byHttp1.isFallback ? comparable(byNode) : { ...comparable(byNode), isRejected: false }
      if (JSON.stringify(read) === JSON.stringify(expected)) continue
      expect({ pieces: pieces.map(textOf), ...read }).toEqual({ pieces: pieces.map(textOf), ...expected })
    }
    node.remove()
    http1.remove()
  }
  node.close()
  http1.close()
  // Otherwise nothing was compared.
  expect(served).toBeGreaterThan(streams / 2)
  expect(fallbacks).toBeGreaterThan(streams / 20)
})

function comparable({ messages, isRejected, upgraded }: ReadStream) {
  return { messages, isRejected, upgraded }
}

function textOf(bytes: Buffer): string {
  return bytes.toString('latin1')
}
