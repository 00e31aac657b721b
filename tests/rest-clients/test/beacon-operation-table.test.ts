import { readFileSync } from 'node:fs'
import { expect, inject, it } from 'vitest'
import { beaconPageFile, beaconPageText, calledDirectly } from './beacon-operation-table.ts'

const {
  nodes: [, node],
} = inject('development')
const address = `${node.node_url}/beacon/${node.token}`
const paths: Readonly<Record<keyof typeof calledDirectly, string>> = {
  eventstream: '/eth/v1/events?topics=head',
  getExecutionPayloadBid: '/eth/v1/validator/execution_payload_bids/1/0',
  produceBlockV4: `/eth/v4/validator/blocks/1?include_payload=true&randao_reveal=0x${'00'.repeat(96)}`,
}

// After an intended change, run: pnpm --filter @fairlead/rest-client-tests write:operations
it('matches the reference page', () => {
  const plain = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
  expect(plain(readFileSync(beaconPageFile, 'utf8'))).toBe(plain(beaconPageText()))
})

// lodestar.test.ts calls all other operations.
it.each(Object.entries(calledDirectly))('%s returns the error of the page', async (name, expectedError) => {
  const response = await fetch(`${address}${paths[name as keyof typeof paths]}`)
  expect(response.status).toBe(expectedError?.status ?? 200)
  if (expectedError) {
    expect(await response.json()).toEqual({
      code: expectedError.status,
      message: expect.stringMatching(expectedError.message),
    })
  } else {
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    await response.body?.cancel()
  }
})
