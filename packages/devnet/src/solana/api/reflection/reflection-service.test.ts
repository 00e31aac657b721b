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

type Question = NonNullable<ServerReflectionRequest['messageRequest']>

it.each([ServerReflectionDefinition, ServerReflectionV1AlphaDefinition])(
  'tells what the server has by $fullName',
  async ({ fullName, methods }) => {
    const { transport } = await serveSolana()
    const ask = (...questions: Question[]) => askAll(transport, fullName, methods, questions)

    const [services] = await ask({ $case: 'listServices', value: '' })
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
      const [answer] = await ask({ $case: 'fileContainingSymbol', value: symbol })
      expect([symbol, filesOf(answer)]).toEqual([
        symbol,
        ['geyser.proto', 'google/protobuf/timestamp.proto', 'solana-storage.proto'],
      ])
    }
    const refused = await ask(
      { $case: 'fileContainingSymbol', value: 'geyser.Nothing' },
      { $case: 'fileByFilename', value: 'sui/rpc/v2/object.proto' },
      { $case: 'allExtensionNumbersOfType', value: 'geyser.Ping' },
    )
    expect(refused.map((answer) => answer?.$case === 'errorResponse' && answer.value.errorCode)).toEqual([
      5, 5, 5,
    ])
  },
)

it('sends what a file imports once on a stream', async () => {
  const { transport } = await serveSolana()
  const { fullName, methods } = ServerReflectionDefinition
  const answers = await askAll(transport, fullName, methods, [
    { $case: 'fileByFilename', value: 'solana-storage.proto' },
    { $case: 'fileByFilename', value: 'geyser.proto' },
  ])
  expect(answers.map(filesOf)).toEqual([
    ['solana-storage.proto'],
    ['geyser.proto', 'google/protobuf/timestamp.proto'],
  ])
})

async function askAll(
  transport: Transport,
  service: string,
  { serverReflectionInfo: { requestType, responseType } }: (typeof ServerReflectionDefinition)['methods'],
  questions: readonly Question[],
): Promise<ServerReflectionResponse['messageResponse'][]> {
  const call = transport.open({ path: `/${service}/ServerReflectionInfo`, timeoutMs: 10_000 })
  for (const messageRequest of questions)
    void call.send(requestType.encode({ host: '', messageRequest }).finish())
  call.end()
  const answers: ServerReflectionResponse['messageResponse'][] = []
  while (await call.readable())
    for (let bytes = call.read(); bytes !== undefined; bytes = call.read())
      answers.push(responseType.decode(bytes).messageResponse)
  return answers
}

function filesOf(answer: ServerReflectionResponse['messageResponse']): string[] | undefined {
  if (answer?.$case !== 'fileDescriptorResponse') return undefined
  return answer.value.fileDescriptorProto.map((bytes) => readProtoFile(bytes).name).toSorted()
}
