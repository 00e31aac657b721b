import { serve } from '@fairlead/e2e-tests/served'
import { expect, onTestFinished, test } from 'vitest'
import { openSocket, overHttp, resultsOf } from './rpc-client.ts'
import { DrivenGeth } from './driven-geth.ts'
import { canBuildGo } from './go-program.ts'

const namespaces = 'eth,net,web3,debug,admin'

test.skipIf(!canBuildGo)('a syncing subscription reports the synchronization of go-ethereum', async () => {
  const source = await DrivenGeth.start({ namespaces })
  onTestFinished(() => source.stop())
  await source.chain.extend(60)
  const lagging = await source.peer({ namespaces })
  onTestFinished(() => lagging.stop())

  const gateway = await serve({
    FAIRLEAD_EVM_UPSTREAM: lagging.httpUrl,
    FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: lagging.webSocketUrl,
  })
  onTestFinished(() => gateway.remove())
  const sockets = [
    await openSocket(lagging.webSocketUrl),
    await openSocket(`${gateway.url.replace('http', 'ws')}/ws/${gateway.token}`),
  ]
  onTestFinished(() => sockets.forEach((socket) => socket.close()))
  for (const socket of sockets) await resultsOf(socket.request)('eth_subscribe', 'syncing')

  const { enode } = await resultsOf(overHttp(source.httpUrl))<{ readonly enode: string }>('admin_nodeInfo')
  await resultsOf(overHttp(lagging.httpUrl))('admin_addPeer', enode)
  const head = await source.chain.head()
  await lagging.follow(source.chain.payloadOf(head))
  await expect
    .poll(() => resultsOf(overHttp(lagging.httpUrl))('eth_blockNumber'))
    .toBe(`0x${head.number.toString(16)}`)

  const [direct, viaGateway] = sockets.map(
    ({ notifications }) =>
      () =>
        notifications.map(({ result }) => result),
  )
  // geth checks once a minute.
  await expect.poll(() => direct?.().at(-1), { timeout: 150_000 }).toBe(false)
  await expect.poll(() => viaGateway?.()).toEqual(direct?.())
})
