import { serve } from '@fairlead/e2e-tests/served'
import { expect, onTestFinished, test } from 'vitest'
import { openSocket, overHttp, resultsOf } from './rpc-client.ts'
import { DrivenGeth } from './driven-geth.ts'
import { canBuildGo } from './go-program.ts'

const namespaces = 'eth,net,web3,debug,admin'

test.skipIf(!canBuildGo)(
  'a subscription to syncing reports what go-ethereum reports of its synchronization',
  async () => {
    const source = await DrivenGeth.start({ namespaces })
    onTestFinished(() => source.stop())
    await source.chain.extend(60)
    const behind = await source.peer({ namespaces })
    onTestFinished(() => behind.stop())

    const gateway = await serve({
      FAIRLEAD_EVM_UPSTREAM: behind.httpUrl,
      FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: behind.webSocketUrl,
    })
    onTestFinished(() => gateway.remove())
    const sockets = [
      await openSocket(behind.webSocketUrl),
      await openSocket(`${gateway.url.replace('http', 'ws')}/ws/${gateway.token}`),
    ]
    onTestFinished(() => sockets.forEach((socket) => socket.close()))
    for (const socket of sockets) await resultsOf(socket.ask)('eth_subscribe', 'syncing')

    const { enode } = await resultsOf(overHttp(source.httpUrl))<{ readonly enode: string }>('admin_nodeInfo')
    await resultsOf(overHttp(behind.httpUrl))('admin_addPeer', enode)
    const head = await source.chain.head()
    await behind.follow(source.chain.payloadOf(head))
    await expect
      .poll(() => resultsOf(overHttp(behind.httpUrl))('eth_blockNumber'))
      .toBe(`0x${head.number.toString(16)}`)

    const [direct, through] = sockets.map(
      ({ notifications }) =>
        () =>
          notifications.map(({ result }) => result),
    )
    // geth checks once a minute.
    await expect.poll(() => direct?.().at(-1), { timeout: 150_000 }).toBe(false)
    await expect.poll(() => through?.()).toEqual(direct?.())
  },
)
