import { type Served, serve } from '@fairlead/e2e-tests/served'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openSocket, overHttp, resultsOf } from './rpc-client.ts'
import { DrivenGeth, everyState } from './driven-geth.ts'
import type { EngineChain } from './engine-chain.ts'
import { expectFollowed, followChain } from './followed-chain.ts'
import { canBuildGo } from './go-program.ts'

describe.skipIf(!canBuildGo)('subscriptions in front of go-ethereum, driven through the engine API', () => {
  let geth: DrivenGeth
  let chain: EngineChain
  const gateways: Served[] = []

  beforeAll(async () => {
    geth = await DrivenGeth.start({ flags: everyState })
    chain = geth.chain
    await chain.extend(40)
    const upstream = { FAIRLEAD_EVM_UPSTREAM: geth.httpUrl, FAIRLEAD_LOG_LEVEL: 'error' }
    gateways.push(await serve({ ...upstream, FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: geth.webSocketUrl }))
    gateways.push(await serve({ ...upstream, FAIRLEAD_HEAD_POLL_MS: '100' }))
  })
  afterAll(async () => {
    for (const gateway of gateways) await gateway.remove()
    await geth.stop()
  })

  /**
   * Opens one client at the gateway that receives heads over WebSocket, and one at the gateway that polls for heads.
   */
  const follow = async () => {
    const sockets = await Promise.all(
      gateways.map(({ url, token }) => openSocket(`${url.replace('http', 'ws')}/ws/${token}`)),
    )
    onTestFinished(() => sockets.forEach((socket) => socket.close()))
    return Promise.all(sockets.map(followChain))
  }

  it('report every block once through reorganizations of 1 to 20 blocks', async () => {
    const followers = await follow()
    const [first] = await chain.extend(25)
    await expectFollowed(geth, followers, first)
    for (const depth of [1, 2, 5, 20]) {
      await chain.reorganize(depth, 2)
      await expectFollowed(geth, followers, first)
    }
    await chain.extend(3)
    await expectFollowed(geth, followers, first)
  })

  it('report the new branch after debug_setHead', async () => {
    const followers = await follow()
    const [first] = await chain.extend(6)
    await expectFollowed(geth, followers, first)
    const { number } = await chain.head()
    await resultsOf(overHttp(geth.httpUrl))('debug_setHead', `0x${(number - 3).toString(16)}`)
    expect(await chain.head()).toMatchObject({ number: number - 3 })
    await chain.extend(5)
    await expectFollowed(geth, followers, first)
  })

  it('report every block once when geth is killed and restarted', async () => {
    const followers = await follow()
    const [first] = await chain.extend(4)
    await expectFollowed(geth, followers, first)
    await geth.restart('SIGKILL')
    await chain.extend(4)
    await expectFollowed(geth, followers, first)
  })

  it('report the same finalized and safe blocks', async () => {
    const followers = await follow()
    const [finalized, , safe, head] = await chain.extend(4)
    if (!head) throw new Error('no block was built')
    await chain.choose(head, { ...(safe && { safe }), ...(finalized && { finalized }) })
    for (const { url, token } of gateways) {
      const request = resultsOf(overHttp(`${url}/${token}`))
      for (const [tag, block] of Object.entries({ finalized, safe, latest: head })) {
        await expect
          .poll(() => request('eth_getBlockByNumber', tag, false))
          .toMatchObject({ hash: block?.hash })
      }
    }
    await expectFollowed(geth, followers, finalized)
  })
})
