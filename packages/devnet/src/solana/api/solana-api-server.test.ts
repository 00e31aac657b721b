import { connect } from 'node:http2'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { rpc, serveSolana } from '../../../test/solana-api.ts'
import { serveSolanaApi } from './solana-api-server.ts'

it('serves both interfaces on one port', async () => {
  const { url } = await serveSolana()
  expect(await rpc(url, 'getHealth')).toMatchObject({ result: 'ok' })
  const session = connect(url)
  const call = session.request({
    ':method': 'POST',
    ':path': '/nothing',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  const [headers] = await once(call, 'response')
  expect(headers['grpc-status']).toBe('12')
  session.destroy()
})

it('fails when the port is in use, without affecting the chain', async () => {
  const { chain, url } = await serveSolana()
  const port = Number(new URL(url).port)
  await expect(serveSolanaApi({ chain, port, onFault: () => undefined })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
  chain.makeSlot()
  expect(await rpc(url, 'getSlot', { commitment: 'processed' })).toMatchObject({
    result: Number(chain.tip(0).slot),
  })
})
