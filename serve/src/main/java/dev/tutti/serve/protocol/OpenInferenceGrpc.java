package dev.tutti.serve.protocol;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.model.VersionChoice;
import dev.tutti.serve.tensor.Datatype;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The Open Inference Protocol over gRPC: the methods of {@code inference.GRPCInferenceService}.
 *
 * <p>Messages are read and written field by field, as {@code open_inference.proto} beside this class describes them: tensors go
 * from the wire into arrays without a generated class in between.
 */
public final class OpenInferenceGrpc {
    private final InferenceService service;
    private final Consumer<RequestHeaders> access;

    /** @param access throws a ServeException if the caller may not predict */
    public OpenInferenceGrpc(InferenceService service, Consumer<RequestHeaders> access) {
        this.service = service;
        this.access = access;
    }

    /** The methods by their paths. */
    public Map<String, HttpService> methods() {
        return new GrpcMethods("inference.GRPCInferenceService", access)
                .open("ServerLive", (context, message) -> flag(true))
                .open(
                        "ServerReady",
                        (context, message) -> flag(service.registry().isReady()))
                .guarded("ModelReady", (context, message) -> flag(isReady(message)))
                .guarded("ServerMetadata", (context, message) -> server())
                .guarded("ModelMetadata", (context, message) -> metadata(message))
                .guarded("ModelInfer", this::infer)
                .byPath();
    }

    private static CompletionStage<byte[]> flag(boolean value) {
        return GrpcMethods.done(value ? new ProtoWriter().varint(1, 1) : new ProtoWriter());
    }

    private boolean isReady(ProtoReader message) {
        try {
            find(message);
            return true;
        } catch (ServeException e) {
            return false;
        }
    }

    /** The version that a message with name and version is about. */
    private ModelVersion find(ProtoReader message) {
        String name = "";
        String version = "";
        while (message.next()) {
            switch (message.field()) {
                case 1 -> name = message.text();
                case 2 -> version = message.text();
                default -> message.skip();
            }
        }
        return service.registry().model(name).find(VersionChoice.version(version));
    }

    private static CompletionStage<byte[]> server() {
        return GrpcMethods.done(new ProtoWriter()
                .text(1, "tutti")
                .text(2, dev.tutti.train.Version.current())
                .element(3, "binary_tensor_data"));
    }

    private CompletionStage<byte[]> metadata(ProtoReader message) {
        ModelVersion version = find(message);
        ProtoWriter answer = new ProtoWriter().text(1, version.name());
        service.registry()
                .model(version.name())
                .versions()
                .forEach(one -> answer.element(2, Long.toString(one.number())));
        answer.text(3, OpenInferenceRest.PLATFORM);
        version.signature().inputs().forEach(spec -> answer.message(4, tensor(spec)));
        version.signature().outputs().forEach(spec -> answer.message(5, tensor(spec)));
        return GrpcMethods.done(answer);
    }

    private static ProtoWriter tensor(TensorSpec spec) {
        return new ProtoWriter()
                .text(1, spec.name())
                .text(2, Datatype.of(spec.type()).name())
                .packed(3, spec.batchShape());
    }

    private CompletionStage<byte[]> infer(ServiceRequestContext context, ProtoReader message) {
        GrpcInferRequest request = GrpcInferRequest.read(message);
        CompletableFuture<InferenceAnswer> answer = service.infer(
                request.model(), VersionChoice.version(request.version()), "grpc", service.deadline(), version -> {
                    request.outputs().forEach(version.signature()::output);
                    return request.arrays(version.signature());
                });
        var unused = context.whenRequestCancelled().thenRun(() -> answer.cancel(false));
        return answer.thenApply(done -> reply(request, done));
    }

    private static byte[] reply(GrpcInferRequest request, InferenceAnswer answer) {
        ModelVersion version = answer.version();
        ProtoWriter message = new ProtoWriter()
                .text(1, version.name())
                .text(2, Long.toString(version.number()))
                .text(3, request.id());
        List<String> wanted = request.outputs().isEmpty()
                ? version.signature().outputs().stream().map(TensorSpec::name).toList()
                : request.outputs();
        for (String name : wanted) {
            NdArray array = answer.outputs().get(version.signature().output(name));
            message.message(
                    5,
                    new ProtoWriter()
                            .text(1, name)
                            .text(2, Datatype.of(array.type()).name())
                            .packed(3, array.shape().toArray()));
        }
        for (String name : wanted) {
            message.bytes(
                    6, Datatype.write(answer.outputs().get(version.signature().output(name))));
        }
        return message.toBytes();
    }
}
