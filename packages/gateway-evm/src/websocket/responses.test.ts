import { expect, it } from 'vitest'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, type ListenerOptions } from '../testing/listener-fixture.ts'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'

const call = (id: number | string) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_gasPrice', params: [] })

/**
 * Returns all messages that a client receives, as text, when the upstream responds to its calls with these responses in
 * turn.
 *
 * @param responses - each with the id 1, and one byte per character
 */
async function responsesTo(
  responses: readonly (string | undefined)[],
  ids: readonly (number | string)[],
  options: ListenerOptions = {},
) {
  let next = 0
  const node = await startTestNode(async (request, response) => {
    const text = responses[next++]
    if (text === undefined) return
    const body = await responseWithCallId(request, text)
    response.setHeader('content-type', 'application/json').end(body, 'latin1')
  })
  const { wsUrl, metrics } = await inFrontOf(node, options)
  const { socket, request } = await openWebSocket(wsUrl)
  const frames: { readonly text: string; readonly isBinary: boolean }[] = []
  socket.on('message', (data, isBinary) => frames.push({ text: (data as Buffer).toString(), isBinary }))
  for (const id of ids) await request(call(id))
  socket.close()
  expect(frames.every(({ isBinary }) => !isBinary)).toBe(true)
  return { texts: frames.map(({ text }) => text), metrics }
}

it('passes a buffered response of the node through unchanged', async () => {
  const response = '{ "jsonrpc":"2.0", "id":1,\n "result":"0x1", "extra":"ä€" }\n'
  const { texts, metrics } = await responsesTo([Buffer.from(response).toString('latin1')], [1])
  expect(texts).toEqual([response])
  expect(await metrics()).toContain(
    `fairlead_node_bytes_total{protocol="evm",direction="out"} ${Buffer.byteLength(response)}`,
  )
})

it('serializes responses that are not UTF-8, or do not begin like objects', async () => {
  const broken = '{"jsonrpc":"2.0","id":1,"result":"\xff"}'
  const text = (result: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })
  const { texts } = await responsesTo([broken, ` ${text('0x8')}`, text('0x9')], [7, 8, '\u{1f600}'])
  expect(texts.map((each) => JSON.parse(each) as unknown)).toEqual([
    { jsonrpc: '2.0', id: 7, result: '\ufffd' },
    { jsonrpc: '2.0', id: 8, result: '0x8' },
    { jsonrpc: '2.0', id: '\u{1f600}', result: '0x9' },
  ])
})

it('returns an error when the node sends no valid response', async () => {
  const { texts } = await responsesTo(['[]', 'x', ''], [1, 2, 3])
  for (const [index, each] of texts.entries())
    expect(JSON.parse(each)).toMatchObject({ id: index + 1, error: { code: -32603 } })
})

it('returns an error for a response that exceeds the memory budget', async () => {
  const long = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(300_000) })
  const short = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(3_000) })
  const { texts } = await responsesTo([long, short], [1, 2], { maxBufferedBytes: 200_000 })
  expect(JSON.parse(texts[0] ?? '')).toMatchObject({ id: 1, error: { code: -32005 } })
  expect(texts[1]).toBe(short.replace('"id":1', '"id":2'))
})

it('aborts a call that times out', async () => {
  const { texts } = await responsesTo([undefined], [5], { timeoutMs: 300 })
  expect(JSON.parse(texts[0] ?? '')).toMatchObject({ id: 5, error: { code: expect.any(Number) } })
})
