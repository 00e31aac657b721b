import { implement } from '@fairlead/grpc-transport'
import { afterEach, expect, expectTypeOf, it } from 'vitest'
import { createGrpcClient } from './client.ts'
import * as sui from './sui.ts'
import { collect } from './testing/outcomes.ts'
import { serve } from './testing/serve.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

it('has every service of the package', () => {
  const names = Object.values(sui).flatMap((item) => ('fullName' in item ? [item.fullName] : []))
  expect(names.toSorted()).toEqual([
    'sui.rpc.v2.LedgerService',
    'sui.rpc.v2.MovePackageService',
    'sui.rpc.v2.NameService',
    'sui.rpc.v2.SignatureVerificationService',
    'sui.rpc.v2.StateService',
    'sui.rpc.v2.SubscriptionService',
    'sui.rpc.v2.TransactionExecutionService',
  ])
})

it('is called like any other service', async () => {
  const server = await serve(
    implement(sui.LedgerServiceDefinition, {
      getObject: ({ objectId, readMask }) => ({
        object: sui.Object.fromPartial({ objectId, json: readMask }),
      }),
      async *listCheckpoints({ startCheckpoint, endCheckpoint }) {
        for (let number = startCheckpoint ?? 0n; number < (endCheckpoint ?? 0n); number++) {
          yield sui.ListCheckpointsResponse.fromPartial({ checkpoint: { sequenceNumber: number } })
        }
      },
    }),
  )
  const ledger = createGrpcClient(sui.LedgerServiceDefinition, { url: server.url })
  closing.push(server.stop, ledger.close)
  const { object } = await ledger.getObject({ objectId: '0x5', readMask: ['object_id', 'json'] })
  expect(object).toMatchObject({ objectId: '0x5', json: ['object_id', 'json'] })
  const pages = await collect(ledger.listCheckpoints({ startCheckpoint: 3n, endCheckpoint: 5n }))
  expect(pages.map(({ checkpoint }) => checkpoint?.sequenceNumber)).toEqual([3n, 4n])
  expectTypeOf(pages[0]?.checkpoint?.sequenceNumber).toEqualTypeOf<bigint | undefined>()
})
