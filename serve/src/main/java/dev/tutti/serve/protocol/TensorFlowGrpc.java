package dev.tutti.serve.protocol;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ClassNames;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.serve.model.ServedModel;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.model.VersionChoice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * TensorFlow Serving over gRPC: Predict, Classify, Regress and GetModelMetadata of {@code PredictionService}, GetModelStatus of {@code
 * ModelService}. The messages are those of {@code tensorflow_serving.proto} beside this class.
 */
public final class TensorFlowGrpc {
    private static final int AVAILABLE = 30;
    private static final int END = 50;
    private static final int FAILED_PRECONDITION = 9;
    private static final String SIGNATURE_DEF = "signature_def";

    private final InferenceService service;
    private final Consumer<RequestHeaders> access;

    /** @param access throws a ServeException if the caller may not predict */
    public TensorFlowGrpc(InferenceService service, Consumer<RequestHeaders> access) {
        this.service = service;
        this.access = access;
    }

    /** The methods by their paths. */
    public Map<String, HttpService> methods() {
        Map<String, HttpService> all =
                new LinkedHashMap<>(new GrpcMethods("tensorflow.serving.PredictionService", access)
                        .guarded("Predict", this::predict)
                        .guarded("Classify", this::classify)
                        .guarded("Regress", this::regress)
                        .guarded("GetModelMetadata", (context, message) -> GrpcMethods.done(metadata(message)))
                        .byPath());
        all.putAll(new GrpcMethods("tensorflow.serving.ModelService", access)
                .guarded("GetModelStatus", (context, message) -> GrpcMethods.done(status(message)))
                .byPath());
        return all;
    }

    /** ModelSpec: the model, and the version of it by number or label. */
    private record ModelSpec(String name, VersionChoice choice) {
        static final ModelSpec MISSING = new ModelSpec("", VersionChoice.ANY);

        static ModelSpec read(ProtoReader message) {
            String name = "";
            VersionChoice choice = VersionChoice.ANY;
            while (message.next()) {
                switch (message.field()) {
                    case 1 -> name = message.text();
                    case 2 -> choice = VersionChoice.version(Long.toString(wrapped(message.message())));
                    case 3 -> TensorFlowRequest.checkSignature(message.text());
                    case 4 -> choice = VersionChoice.label(message.text());
                    default -> message.skip();
                }
            }
            return new ModelSpec(name, choice);
        }

        private static long wrapped(ProtoReader message) {
            long value = 0;
            while (message.next()) {
                if (message.field() == 1) {
                    value = message.varint();
                } else {
                    message.skip();
                }
            }
            return value;
        }

        static ProtoWriter of(ModelVersion version) {
            return new ProtoWriter()
                    .text(1, version.name())
                    .message(2, new ProtoWriter().varint(1, version.number()))
                    .text(3, TensorFlowRest.SIGNATURE);
        }
    }

    private CompletionStage<byte[]> infer(
            ServiceRequestContext context,
            ModelSpec spec,
            InferenceService.RowSource rows,
            Function<InferenceAnswer, ProtoWriter> reply) {
        CompletableFuture<InferenceAnswer> answer =
                service.infer(spec.name, spec.choice, "tensorflow-grpc", service.deadline(), rows);
        var unused = context.whenRequestCancelled().thenRun(() -> answer.cancel(false));
        return answer.thenApply(done -> reply.apply(done).toBytes());
    }

    private CompletionStage<byte[]> predict(ServiceRequestContext context, ProtoReader message) {
        ModelSpec spec = ModelSpec.MISSING;
        Map<String, TensorFlowTensor> inputs = new LinkedHashMap<>();
        List<String> wanted = new ArrayList<>();
        while (message.next()) {
            switch (message.field()) {
                case 1 -> spec = ModelSpec.read(message.message());
                case 2 -> input(message.message(), inputs);
                case 3 -> wanted.add(message.text());
                default -> message.skip();
            }
        }
        return infer(
                context,
                spec,
                version -> {
                    wanted.forEach(version.signature()::output);
                    return arrays(inputs, version);
                },
                answer -> predicted(answer, wanted));
    }

    private static void input(ProtoReader entry, Map<String, TensorFlowTensor> inputs) {
        String name = "";
        TensorFlowTensor tensor = null;
        while (entry.next()) {
            switch (entry.field()) {
                case 1 -> name = entry.text();
                case 2 -> tensor = TensorFlowTensor.read(entry.message());
                default -> entry.skip();
            }
        }
        if (tensor == null) {
            throw ServeException.invalid("input '" + name + "' has no tensor");
        }
        inputs.put(name, tensor);
    }

    private static List<NdArray> arrays(Map<String, TensorFlowTensor> inputs, ModelVersion version) {
        inputs.keySet().forEach(version.signature()::input);
        List<NdArray> arrays = new ArrayList<>();
        for (TensorSpec spec : version.signature().inputs()) {
            TensorFlowTensor sent = inputs.get(spec.name());
            if (sent == null) {
                throw ServeException.invalid("input '" + spec.name() + "' is missing: received " + inputs.keySet());
            }
            arrays.add(sent.toArray(spec));
        }
        return arrays;
    }

    private static ProtoWriter predicted(InferenceAnswer answer, List<String> wanted) {
        ProtoWriter message = new ProtoWriter();
        List<TensorSpec> outputs = answer.version().signature().outputs();
        for (int i = 0; i < outputs.size(); i++) {
            String name = outputs.get(i).name();
            if (wanted.isEmpty() || wanted.contains(name)) {
                message.entry(1, name, TensorFlowTensor.message(answer.outputs().get(i)));
            }
        }
        return message.message(2, ModelSpec.of(answer.version()));
    }

    /** A request of Classify or Regress. */
    private record ExampleRequest(ModelSpec spec, ByteBuffer input) {
        static ExampleRequest read(ProtoReader message) {
            ModelSpec spec = ModelSpec.MISSING;
            ByteBuffer input = ByteBuffer.allocate(0);
            while (message.next()) {
                switch (message.field()) {
                    case 1 -> spec = ModelSpec.read(message.message());
                    case 2 -> input = message.bytes();
                    default -> message.skip();
                }
            }
            return new ExampleRequest(spec, input);
        }

        List<NdArray> arrays(ModelVersion version) {
            return TensorFlowExamples.read(new ProtoReader(input), version.signature());
        }
    }

    private CompletionStage<byte[]> classify(ServiceRequestContext context, ProtoReader message) {
        ExampleRequest request = ExampleRequest.read(message);
        return infer(
                context,
                request.spec,
                version -> {
                    TensorFlowRest.requireClasses(version);
                    return request.arrays(version);
                },
                answer -> {
                    ProtoWriter result = new ProtoWriter();
                    for (int row = 0; row < answer.rows(); row++) {
                        result.message(1, classes(answer, row));
                    }
                    return new ProtoWriter().message(1, result).message(2, ModelSpec.of(answer.version()));
                });
    }

    private static ProtoWriter classes(InferenceAnswer answer, int row) {
        ClassNames names = answer.version().classes();
        double[] probabilities = names.probabilities(answer.outputs().get(0), row);
        ProtoWriter all = new ProtoWriter();
        for (int i = 0; i < probabilities.length; i++) {
            all.message(1, new ProtoWriter().text(1, names.name(i)).number(2, (float) probabilities[i]));
        }
        return all;
    }

    private CompletionStage<byte[]> regress(ServiceRequestContext context, ProtoReader message) {
        ExampleRequest request = ExampleRequest.read(message);
        return infer(
                context,
                request.spec,
                version -> {
                    TensorFlowRest.requireOneNumber(version);
                    return request.arrays(version);
                },
                answer -> {
                    ProtoWriter result = new ProtoWriter();
                    for (int row = 0; row < answer.rows(); row++) {
                        result.message(1, new ProtoWriter().number(1, (float)
                                        answer.outputs().get(0).at(row)));
                    }
                    return new ProtoWriter().message(1, result).message(2, ModelSpec.of(answer.version()));
                });
    }

    private ProtoWriter metadata(ProtoReader message) {
        ModelSpec spec = ModelSpec.MISSING;
        while (message.next()) {
            switch (message.field()) {
                case 1 -> spec = ModelSpec.read(message.message());
                case 2 -> {
                    String field = message.text();
                    if (!field.equals(SIGNATURE_DEF)) {
                        throw ServeException.invalid(
                                "expected the metadata_field '" + SIGNATURE_DEF + "', received another one");
                    }
                }
                default -> message.skip();
            }
        }
        ModelVersion version = service.registry().model(spec.name).find(spec.choice);
        ProtoWriter signature = new ProtoWriter();
        version.signature().inputs().forEach(input -> signature.entry(1, input.name(), TensorFlowTensor.info(input)));
        version.signature()
                .outputs()
                .forEach(output -> signature.entry(2, output.name(), TensorFlowTensor.info(output)));
        signature.text(3, "tensorflow/serving/predict");
        ProtoWriter all = new ProtoWriter().entry(1, TensorFlowRest.SIGNATURE, signature);
        ProtoWriter any = new ProtoWriter()
                .text(1, "type.googleapis.com/tensorflow.serving.SignatureDefMap")
                .bytes(2, all.toBytes());
        return new ProtoWriter().message(1, ModelSpec.of(version)).entry(2, SIGNATURE_DEF, any);
    }

    private ProtoWriter status(ProtoReader message) {
        ModelSpec spec = ModelSpec.MISSING;
        while (message.next()) {
            if (message.field() == 1) {
                spec = ModelSpec.read(message.message());
            } else {
                message.skip();
            }
        }
        ServedModel model = service.registry().model(spec.name);
        List<ModelVersion> versions = spec.choice.equals(VersionChoice.ANY)
                ? List.copyOf(model.versions())
                : List.of(model.find(spec.choice));
        ProtoWriter all = new ProtoWriter();
        versions.forEach(version -> all.message(1, status(version.number(), AVAILABLE, 0, "")));
        model.failures().forEach((number, why) -> all.message(1, status(number, END, FAILED_PRECONDITION, why)));
        return all;
    }

    private static ProtoWriter status(long version, int state, int code, String why) {
        return new ProtoWriter()
                .varint(1, version)
                .varint(2, state)
                .message(3, new ProtoWriter().varint(1, code).text(2, why));
    }
}
