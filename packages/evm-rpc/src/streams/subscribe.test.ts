import { expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { startNodeServer } from '../transports/testing/node-server.ts'
import { webSocket } from '../transports/web-socket.ts'
import { listen } from './subscribe.ts'

it('continues when onSubscribed throws, and can be stopped', async () => {
  const node = await startNodeServer()
  const transport = webSocket({ url: node.url, auth: { kind: 'token', token: 't0k3n' }, WebSocket })
  onTestFinished(() => transport.close())
  const faults: unknown[] = []
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((run) => {
    try {
      run()
    } catch (error) {
      faults.push(error)
    }
  })
  const fault = new Error('of the listener')
  const [onData, onError] = [vi.fn(), vi.fn()]
  const onSubscribed = vi.fn(() => {
    throw fault
  })
  const stop = listen(transport, 'newPendingTransactions', undefined, { onData, onError, onSubscribed })
  await vi.waitFor(() => expect(onSubscribed).toHaveBeenCalledOnce(), 20_000)
  node.push('0x1', '0xab')
  await vi.waitFor(() => expect(onData).toHaveBeenCalledWith('0xab'), 20_000)
  expect([faults, onError.mock.calls]).toEqual([[fault], []])
  stop()
  await vi.waitFor(() => expect(node.calls.at(-1)?.method).toBe('eth_unsubscribe'), 20_000)
})
