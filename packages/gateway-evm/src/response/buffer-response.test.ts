import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { bufferShortResponse } from './buffer-response.ts'
import { dumpable } from './buffered-response.ts'
import type { UpstreamResponse } from './upstream-response.ts'

/** A response as connections have it: its facts are accessors. */
class ChunkedResponse implements UpstreamResponse {
  readonly body: UpstreamResponse['body']
  readonly secrets = ['secret']

  constructor(bytes: number) {
    const chunks = Array.from({ length: bytes / 1_024 }, () => Buffer.alloc(1_024, 'x'))
    this.body = dumpable(Readable.from(chunks, { objectMode: false }))
  }

  get contentLength(): string | undefined {
    return undefined
  }

  get delimited(): boolean {
    return true
  }
}

const { signal } = new AbortController()

it('buffers a short response', async () => {
  const { bytes } = await bufferShortResponse(new ChunkedResponse(65_536), signal)
  expect(bytes?.length).toBe(65_536)
})

it('retains the received bytes of a long response, which remains a stream', async () => {
  const response = await bufferShortResponse(new ChunkedResponse(131_072), signal)
  expect(response).toMatchObject({ delimited: true, contentLength: undefined, secrets: ['secret'] })
  expect(response.bytes).toBeUndefined()
  let length = 0
  for await (const chunk of response.body as AsyncIterable<Buffer>) length += chunk.length
  expect(length).toBe(131_072)
})
