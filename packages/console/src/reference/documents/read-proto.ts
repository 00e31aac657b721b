import type { ProtoContent, ProtoMessageUse, ProtoMethod, ProtoService } from './document.ts'
import type { GrpcMessage, GrpcOperation } from './operation.ts'

/** All methods of the services of proto files. */
export function readProto({ services }: ProtoContent): readonly GrpcOperation[] {
  return services.flatMap((service) => service.methods.map((method) => readMethod(service, method)))
}

function readMethod(service: ProtoService, method: ProtoMethod): GrpcOperation {
  const path = `${service.name}/${method.name}`
  const [summary = '', ...rest] = method.description.split(/(?<=\.)\s/)
  return {
    kind: 'grpc',
    id: path,
    name: method.name,
    group: service.name,
    summary,
    description: rest.join(' '),
    isDeprecated: method.isDeprecated,
    path,
    request: readMessage(method.request),
    response: readMessage(method.response),
  }
}

function readMessage({ message, isStream }: ProtoMessageUse): GrpcMessage {
  return { schema: { $ref: `#/components/schemas/${message}` }, isStream }
}
