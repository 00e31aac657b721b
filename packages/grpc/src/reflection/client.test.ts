import { fromBinary } from '@bufbuild/protobuf'
import { base64Decode } from '@bufbuild/protobuf/wire'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { createHttp2Transport, implement, Status } from '@fairlead/grpc-transport'
import { afterEach, describe, expect, it } from 'vitest'
import { descriptors } from '../descriptors.ts'
import {
  ServerReflectionDefinition,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
  ServerReflectionV1AlphaDefinition,
} from '../reflection.ts'
import { failure } from '../testing/outcomes.ts'
import { serve } from '../testing/serve.ts'
import { createReflectionClient } from './client.ts'

const token = 's3cr3t-t0k3n'
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Responds like real servers: some files by name, for all other requests an error inside the stream. */
async function* respond(requests: AsyncIterable<ServerReflectionRequest>) {
  for await (const { messageRequest } of requests) {
    yield { messageResponse: responseTo(messageRequest) }
  }
}

function responseTo(
  question: ServerReflectionRequest['messageRequest'],
): ServerReflectionResponse['messageResponse'] {
  if (question?.$case === 'listServices') {
    return { $case: 'listServicesResponse', value: { service: [{ name: 'geyser.Geyser' }] } }
  }
  const file = descriptors[question?.$case === 'fileByFilename' ? question.value : 'geyser.proto']
  if (file) return { $case: 'fileDescriptorResponse', value: { fileDescriptorProto: [base64Decode(file)] } }
  return { $case: 'errorResponse', value: { errorCode: Status.NOT_FOUND, errorMessage: `no ${token}` } }
}

describe.each([
  ['v1', ServerReflectionDefinition],
  ['v1alpha', ServerReflectionV1AlphaDefinition],
] as const)('a server with reflection %s', (_, definition) => {
  async function client() {
    const server = await serve(
      implement(definition as typeof ServerReflectionDefinition, { serverReflectionInfo: respond }),
    )
    const transport = createHttp2Transport(server.url)
    closing.push(server.stop, () => transport.close())
    return createReflectionClient({ transport, auth: { kind: 'x-token', token } })
  }

  it('lists its services', async () => {
    const reflection = await client()
    expect(await reflection.listServices()).toEqual(['geyser.Geyser'])
    expect(await reflection.listServices()).toEqual(['geyser.Geyser'])
  })

  it('returns decodable files', async () => {
    const reflection = await client()
    for (const files of [
      await reflection.fileContainingSymbol('geyser.Geyser'),
      await reflection.fileByFilename('geyser.proto'),
    ]) {
      const [file] = files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
      expect(file).toMatchObject({ name: 'geyser.proto', package: 'geyser' })
      expect(file?.service[0]?.method.map(({ name }) => name)).toContain('Subscribe')
    }
  })

  it('reports unknown symbols', async () => {
    const error = await failure((await client()).fileByFilename('other.proto'))
    expect(error.details).toMatchObject({
      status: Status.NOT_FOUND,
      statusName: 'NOT_FOUND',
      detail: 'no ***',
    })
  })
})

it('a server without reflection returns UNIMPLEMENTED', async () => {
  const server = await serve()
  const transport = createHttp2Transport(server.url)
  closing.push(server.stop, () => transport.close())
  const error = await failure(createReflectionClient({ transport }).listServices())
  expect(error.details).toMatchObject({
    operation: '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
    status: Status.UNIMPLEMENTED,
  })
})
