package dev.tutti.json;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserSequence;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.jsontype.TypeDeserializer;
import com.fasterxml.jackson.databind.jsontype.TypeIdResolver;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.jsontype.impl.AsPropertyTypeDeserializer;
import com.fasterxml.jackson.databind.jsontype.impl.AsPropertyTypeSerializer;
import com.fasterxml.jackson.databind.jsontype.impl.StdTypeResolverBuilder;
import com.fasterxml.jackson.databind.jsontype.impl.TypeIdResolverBase;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import java.io.IOException;
import java.util.Collection;

/**
 * Lets a definition that needs no settings be written as its bare name: {@code optimizer: adam} instead of
 * {@code optimizer: {type: adam}}.
 *
 * <p>Put {@code @JsonTypeInfo(use = NAME, property = "type") @JsonTypeResolver(ShortForm.class)} on the base type.
 */
public final class ShortForm extends StdTypeResolverBuilder {
    @Override
    public TypeDeserializer buildTypeDeserializer(
            DeserializationConfig config, JavaType baseType, Collection<NamedType> subtypes) {
        TypeIdResolver names =
                idResolver(config, baseType, verifyBaseTypeValidity(config, baseType), subtypes, false, true);
        return new NameOrObject(baseType, names, _typeProperty);
    }

    @Override
    public TypeSerializer buildTypeSerializer(
            SerializationConfig config, JavaType baseType, Collection<NamedType> subtypes) {
        TypeIdResolver names = idResolver(config, baseType, subTypeValidator(config), subtypes, true, false);
        return new AsPropertyTypeSerializer(new KnownNames(names), null, _typeProperty);
    }

    /** Writes the names of definitions, and refuses one that no reader would know. */
    private static final class KnownNames extends TypeIdResolverBase {
        private final TypeIdResolver names;

        KnownNames(TypeIdResolver names) {
            this.names = names;
        }

        @Override
        public String idFromValue(Object value) {
            Json.names().require(value);
            return names.idFromValue(value);
        }

        @Override
        public String idFromValueAndType(Object value, Class<?> suggestedType) {
            if (value != null) {
                Json.names().require(value);
            }
            return names.idFromValueAndType(value, suggestedType);
        }

        @Override
        public JsonTypeInfo.Id getMechanism() {
            return names.getMechanism();
        }
    }

    private static final class NameOrObject extends AsPropertyTypeDeserializer {
        private static final long serialVersionUID = 1L;

        NameOrObject(JavaType base, TypeIdResolver names, String property) {
            super(base, names, property, false, null, JsonTypeInfo.As.PROPERTY, true);
        }

        private NameOrObject(NameOrObject source, BeanProperty property) {
            super(source, property);
        }

        @Override
        public TypeDeserializer forProperty(BeanProperty property) {
            return property == _property ? this : new NameOrObject(this, property);
        }

        @Override
        public Object deserializeTypedFromObject(JsonParser parser, DeserializationContext context) throws IOException {
            if (!parser.hasToken(JsonToken.VALUE_STRING)) {
                return super.deserializeTypedFromObject(parser, context);
            }
            try (TokenBuffer object = context.bufferForInputBuffering(parser)) {
                object.writeStartObject();
                object.writeStringField(_typePropertyName, parser.getText());
                object.writeEndObject();
                JsonParser replay = JsonParserSequence.createFlattened(false, object.asParserOnFirstToken(), parser);
                return super.deserializeTypedFromObject(replay, context);
            }
        }
    }
}
