import {
  create,
  createFileRegistry,
  type DescMethodStreaming,
  type DescMethodUnary,
} from '@bufbuild/protobuf'
import {
  type Empty,
  type EmptySchema,
  file_google_protobuf_empty,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt'
import type { CallStart } from '@fairlead/grpc-transport/wire'

/** A message without known fields; its content is in the unknown fields. */
export type EmptyMessage = Empty

export type EmptyMethod =
  | DescMethodUnary<typeof EmptySchema, typeof EmptySchema>
  | DescMethodStreaming<typeof EmptySchema, typeof EmptySchema>

const empty = '.google.protobuf.Empty'

/** Creates a function that describes the method of a call as one from empty message to empty message. */
export function createMethodDescriber(): (start: CallStart) => EmptyMethod {
  const methods = new Map<string, EmptyMethod>()
  return (start) => {
    const key = `${start.path} ${start.requestStream} ${start.responseStream}`
    const method = methods.get(key) ?? describe(start)
    methods.set(key, method)
    return method
  }
}

function describe({ path, requestStream = true, responseStream = true }: CallStart): EmptyMethod {
  const [, service = '', name = ''] = path.split('/')
  const dot = service.lastIndexOf('.')
  const file = create(FileDescriptorProtoSchema, {
    name: 'service.proto',
    syntax: 'proto3',
    package: service.slice(0, Math.max(dot, 0)),
    dependency: ['google/protobuf/empty.proto'],
    service: [
      {
        name: service.slice(dot + 1),
        method: [
          {
            name,
            inputType: empty,
            outputType: empty,
            clientStreaming: requestStream,
            serverStreaming: responseStream,
          },
        ],
      },
    ],
  })
  const method = createFileRegistry(file, () => file_google_protobuf_empty).getService(service)?.methods[0]
  if (!method) throw new TypeError('the path of a call must be /<package>.<Service>/<Method>')
  return method as EmptyMethod
}
