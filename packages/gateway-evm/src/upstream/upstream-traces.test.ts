import { expect, it, onTestFinished } from 'vitest'
import { currentTrace, inTrace, type TraceSpan } from '@fairlead/gateway-core/telemetry/current-trace'
import { Cancellation, promised } from '@fairlead/runtime'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { createEvmUpstream } from './evm-upstream.ts'
import { ownCall } from './own-call.ts'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'

function trace(name: string): TraceSpan {
  const part: TraceSpan = {
    traceparent: name,
    begin: () => part,
    setAttributes: () => undefined,
    end: () => undefined,
  }
  return part
}

it('each call has its response in its own trace, whichever call opened the connection', async () => {
  const url = await startTestNode(async (request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(await responseWithCallId(request, '{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  })
  const upstream = createEvmUpstream(url, 20_000, new MemoryLedger(2 ** 20))
  onTestFinished(() => upstream.close())
  const call = ownCall('eth_chainId', [], new Cancellation())
  const traceAtResponse = () =>
    promised<TraceSpan | undefined>(({ resolve, reject }) =>
      upstream.send(call, call.signal, { resolve: () => resolve(currentTrace()), reject }),
    )
  const [first, second] = [trace('first'), trace('second')]
  expect(await inTrace(first, traceAtResponse)).toBe(first)
  expect(await traceAtResponse()).toBeUndefined()
  expect(await inTrace(second, traceAtResponse)).toBe(second)
})
