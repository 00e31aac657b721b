export * from '@fairlead/grpc'
