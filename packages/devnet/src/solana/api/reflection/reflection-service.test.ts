import {
  ServerReflectionDefinition,
  ServerReflectionV1AlphaDefinition,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '@fairlead/grpc/reflection'
import type { Transport } from '@fairlead/grpc-transport'
import { expect, it } from 'vitest'
import { serveSolana } from '../../../../test/solana-api.ts'
import { readProtoFile } from './file-descriptor.ts'

type MessageRequest = NonNullable<ServerReflectionRequest['messageRequest']>

it.each([ServerReflectionDefinition, ServerReflectionV1AlphaDefinition])(
  'returns the services of the server by $fullName',
  async ({ fullName, methods }) => {
    const { transport } = await serveSolana()
    const query = (...requests: MessageRequest[]) => queryAll(transport, fullName, methods, requests)

    const [services] = await query({ $case: 'listServices', value: '' })
    expect(services).toMatchObject({
      value: {
        service: [
          { name: 'geyser.Geyser' },
          { name: 'grpc.health.v1.Health' },
          { name: 'grpc.reflection.v1.ServerReflection' },
          { name: 'grpc.reflection.v1alpha.ServerReflection' },
        ],
      },
    })
    const symbols = [
      'geyser.Geyser',
      'geyser.Geyser.Subscribe',
      'geyser.SubscribeUpdate',
      'geyser.SubscribeUpdate.update_oneof',
      'geyser.SubscribeRequest.accounts',
      'geyser.CommitmentLevel',
      'geyser.CONFIRMED',
      'geyser.SubscribeRequest.AccountsEntry',
    ]
    for (const symbol of symbols) {
      const [response] = await query({ $case: 'fileContainingSymbol', value: symbol })
      expect([symbol, filesOf(response)]).toEqual([
        symbol,
        ['geyser.proto', 'google/protobuf/timestamp.proto', 'solana-storage.proto'],
      ])
    }
    const rejected = await query(
      { $case: 'fileContainingSymbol', value: 'geyser.Nothing' },
      { $case: 'fileByFilename', value: 'sui/rpc/v2/object.proto' },
      { $case: 'allExtensionNumbersOfType', value: 'geyser.Ping' },
    )
    expect(
      rejected.map((response) => response?.$case === 'errorResponse' && response.value.errorCode),
    ).toEqual([5, 5, 5])
  },
)

it('sends what a file imports once on a stream', async () => {
  const { transport } = await serveSolana()
  const { fullName, methods } = ServerReflectionDefinition
  const responses = await queryAll(transport, fullName, methods, [
    { $case: 'fileByFilename', value: 'solana-storage.proto' },
    { $case: 'fileByFilename', value: 'geyser.proto' },
  ])
  expect(responses.map(filesOf)).toEqual([
    ['solana-storage.proto'],
    ['geyser.proto', 'google/protobuf/timestamp.proto'],
  ])
})

async function queryAll(
  transport: Transport,
  service: string,
  { serverReflectionInfo: { requestType, responseType } }: (typeof ServerReflectionDefinition)['methods'],
  requests: readonly MessageRequest[],
): Promise<ServerReflectionResponse['messageResponse'][]> {
  const call = transport.open({ path: `/${service}/ServerReflectionInfo`, timeoutMs: 10_000 })
  for (const messageRequest of requests)
    void call.send(requestType.encode({ host: '', messageRequest }).finish())
  call.end()
  const responses: ServerReflectionResponse['messageResponse'][] = []
  while (await call.readable())
    for (let bytes = call.read(); bytes !== undefined; bytes = call.read())
      responses.push(responseType.decode(bytes).messageResponse)
  return responses
}

function filesOf(response: ServerReflectionResponse['messageResponse']): string[] | undefined {
  if (response?.$case !== 'fileDescriptorResponse') return undefined
  return response.value.fileDescriptorProto.map((bytes) => readProtoFile(bytes).name).toSorted()
}
